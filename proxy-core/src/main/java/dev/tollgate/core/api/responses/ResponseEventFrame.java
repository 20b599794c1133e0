package dev.tollgate.core.api.responses;

import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;

/** Writer of the common beginning of every Responses API event: its type and sequence number. */
final class ResponseEventFrame {
  private ResponseEventFrame() {}

  /** Begins an event, to which the caller adds members. */
  static JsonWriter begin(String type, ResponseDraft draft, ByteBuf out) {
    SseWriter.begin(out);
    JsonWriter event = new JsonWriter(out).beginObject().name("type").string(type);
    return event.name("sequence_number").number(draft.nextNumber());
  }

  static void end(JsonWriter event, ByteBuf out) {
    event.endObject();
    SseWriter.end(out);
  }
}
