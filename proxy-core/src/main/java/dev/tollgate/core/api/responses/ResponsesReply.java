package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.FinishReason;
import dev.tollgate.core.api.IncompleteReason;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A provider's whole chat completion, written to the client as a Responses API object
 * (docs/decisions/responses.md#object).
 */
public final class ResponsesReply implements WholeReply {
  private final ChatReply chat;
  private final ReplyStamp stamp;
  private final ResponseObject response;

  ResponsesReply(ChatReply chat, ReplyStamp stamp, ResponseObject response) {
    this.chat = chat;
    this.stamp = stamp;
    this.response = response;
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return chat.reportedUsage();
  }

  @Override
  public long deliveredTokens() {
    return chat.deliveredTokens();
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    JsonMembers choice = chat.choice();
    int finish = choice.indexOf("finish_reason");
    IncompleteReason incomplete =
        finish >= 0 && FinishReason.finishes(choice, finish)
            ? FinishReason.incomplete(choice, finish)
            : IncompleteReason.NONE;
    response.writeWhole(
        items(choice), incomplete, charged, cost, chat.usageObject(), new JsonWriter(out));
  }

  /** Returns the message, unless it is empty beside calls, and the calls. */
  private List<ResponseItem> items(JsonMembers choice) {
    var output = new ResponseItem.Message(stamp, 0);
    List<ResponseItem> items = new ArrayList<>();
    int at = choice.indexOf("message");
    if (at >= 0 && choice.kind(at) == JsonKind.OBJECT) {
      JsonMembers message = choice.object(at);
      text(message, output);
      int refusal = message.indexOf("refusal");
      if (refusal >= 0) {
        output.refusal().add(message, refusal);
      }
      int calls = message.indexOf("tool_calls");
      if (calls >= 0 && message.kind(calls) == JsonKind.ARRAY) {
        calls(message.array(calls), items);
      }
    }
    if (items.isEmpty() || !output.isEmpty()) {
      items.addFirst(output);
    }
    return items;
  }

  private static void text(JsonMembers message, ResponseItem.Message output) {
    int content = message.indexOf("content");
    if (content >= 0 && message.kind(content) == JsonKind.ARRAY) {
      JsonElements parts = message.array(content);
      for (int k = 0; k < parts.size(); k++) {
        if (parts.kind(k) == JsonKind.OBJECT) {
          add(parts.object(k), "text", output.text());
        }
      }
    } else {
      add(message, "content", output.text());
    }
  }

  private static void add(JsonMembers members, String name, JsonStringBuilder to) {
    int i = members.indexOf(name);
    if (i >= 0) {
      to.add(members, i);
    }
  }

  private void calls(JsonElements calls, List<ResponseItem> items) {
    for (int k = 0; k < calls.size(); k++) {
      if (calls.kind(k) == JsonKind.OBJECT) {
        items.add(call(calls.object(k), items.size()));
      }
    }
  }

  private ResponseItem.Call call(JsonMembers source, int index) {
    var call = new ResponseItem.Call(stamp, index);
    int id = source.indexOf("id");
    if (id >= 0 && isText(source, id)) {
      call.identify(source.string(id));
    }
    int at = source.indexOf("function");
    if (at >= 0 && source.kind(at) == JsonKind.OBJECT) {
      JsonMembers function = source.object(at);
      int name = function.indexOf("name");
      if (name >= 0 && isText(function, name)) {
        call.name(function.string(name));
      }
      add(function, "arguments", call.arguments());
    }
    return call;
  }

  private static boolean isText(JsonItems items, int i) {
    return items.kind(i) == JsonKind.STRING && !items.isEmptyString(i);
  }
}
