package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.IncompleteReason;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the Responses API's response object (docs/decisions/responses.md#object), in progress
 * or complete.
 */
final class ResponseObject {
  private final ReplyStamp stamp;
  private final JsonBytes tools;

  /**
   * @param tools the request's tools, which SDKs expect in the response
   */
  ResponseObject(ReplyStamp stamp, JsonBytes tools) {
    this.stamp = stamp;
    this.tools = tools;
  }

  /**
   * Writes the response before any content.
   *
   * @param first the item that has begun, if any
   */
  void writeInProgress(ResponseItem.@Nullable Message first, JsonWriter out) {
    begin(ResponseItem.IN_PROGRESS, out);
    out.name("output").beginArray();
    if (first != null) {
      first.writeTo(out, ResponseItem.IN_PROGRESS);
    }
    out.endArray().endObject();
  }

  /**
   * Writes the complete response.
   *
   * @param reported the provider's usage object; null for an estimate
   */
  void writeWhole(
      List<ResponseItem> items,
      IncompleteReason incomplete,
      Usage charged,
      MicroUsd cost,
      byte @Nullable [] reported,
      JsonWriter out) {
    begin(ResponseItem.COMPLETED, out);
    switch (incomplete) {
      case NONE -> {}
      case OUTPUT_TOKENS, FILTERED -> {
        out.name("incomplete_details").beginObject();
        out.name("reason").string(incomplete.wire()).endObject();
      }
    }
    out.name("output").beginArray();
    for (ResponseItem item : items) {
      item.writeTo(out, ResponseItem.COMPLETED);
    }
    out.endArray();
    out.name("usage").value(ResponsesUsageJson.of(charged, cost, reported)).endObject();
  }

  private void begin(String status, JsonWriter out) {
    out.beginObject().name("id").string(stamp.idWith("resp_"));
    out.name("object").string("response");
    out.name("created_at").number(stamp.createdSeconds());
    out.name("model").raw(stamp.model()).name("provider").raw(stamp.provider());
    out.name("status").string(status);
    out.name("parallel_tool_calls").bool(true).name("tool_choice").string("auto");
    out.name("tools").raw(tools);
  }
}
