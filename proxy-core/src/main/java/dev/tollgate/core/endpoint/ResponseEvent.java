package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;

/** The frame of every event of the Responses API: its type and its number come first. */
final class ResponseEvent {
  private ResponseEvent() {}

  /** Begins an event; what is written next are more members of it. */
  static JsonOut begin(String type, ResponseDraft draft, ByteBuf out) {
    SseOut.begin(out);
    JsonOut event = new JsonOut(out).beginObject().name("type").string(type);
    return event.name("sequence_number").number(draft.nextNumber());
  }

  static void end(JsonOut event, ByteBuf out) {
    event.endObject();
    SseOut.end(out);
  }
}
