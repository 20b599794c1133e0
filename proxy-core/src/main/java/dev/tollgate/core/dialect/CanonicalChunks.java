package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Writer of one stream's chat completion chunks in OpenAI's format, used by translations of other
 * providers' streams. All chunks share one buffer: a head that is encoded once, a delta and an end.
 * Not thread safe: one stream on one loop.
 */
public final class CanonicalChunks {
  private static final String EVENT = "message";
  private static final int BYTES_USUAL = 512;
  private static final int BYTES_AT_REST_MAX = 8 * 1024;
  private static final byte[] END = "}]}".getBytes(US_ASCII);
  private static final byte[] OPEN_END = ",\"finish_reason\":null}]}".getBytes(US_ASCII);
  private static final byte[] DONE = "[DONE]".getBytes(US_ASCII);
  private static final byte[] NO_CHUNK = "null".getBytes(US_ASCII);
  private static final byte[] NO_CONTENT = "{}".getBytes(US_ASCII);
  private static final byte[] OTHER_CHOICE = "{\"choices\":[{\"index\":1}]}".getBytes(US_ASCII);

  private final SseSink canonical;
  private ByteBuf buffer = Unpooled.buffer(BYTES_USUAL);
  private byte[] beginning = beginning(JsonBytes.string(""), JsonBytes.string(""));

  CanonicalChunks(SseSink canonical) {
    this.canonical = canonical;
  }

  /** Sets id and model of every further chunk; both are JSON strings. */
  public void identify(JsonBytes id, JsonBytes model) {
    beginning = beginning(id, model);
  }

  private static byte[] beginning(JsonBytes id, JsonBytes model) {
    String text =
        "{\"id\":"
            + id
            + ",\"object\":\"chat.completion.chunk\",\"model\":"
            + model
            + ",\"choices\":[{\"index\":0,\"delta\":";
    return text.getBytes(UTF_8);
  }

  /** Begins a chunk; the members written next belong to its delta. */
  public JsonWriter begin() {
    buffer.clear();
    buffer.writeBytes(beginning);
    return new JsonWriter(buffer).beginObject();
  }

  /** Sends the chunk that opens the answer. */
  public void sendRole() {
    send(begin().name("role").string("assistant").name("content").raw(TranslatedStream.NO_TEXT));
  }

  /** Sends the text of a member, if there is any, as a member of a delta. */
  public void sendText(JsonMembers from, String member, String as) {
    int text = text(from, member);
    if (text >= 0) {
      send(begin().name(as).raw(JsonBytes.of(from, text)));
    }
  }

  /**
   * Returns the index of a text that is not empty; -1 if there is none. A value of another kind, or
   * a second one, may be text that is lost: the event is unreadable.
   */
  public int text(JsonMembers from, String member) {
    int i = from.indexOf(member);
    boolean repeated = i >= 0 && from.indexOf(member, i + 1) >= 0;
    if (i < 0 || (!repeated && (from.kind(i) == JsonKind.NULL || from.isEmptyString(i)))) {
      return -1;
    }
    if (repeated || from.kind(i) != JsonKind.STRING) {
      unreadable();
      return -1;
    }
    return i;
  }

  /** Begins a chunk with a call of a tool; the members written next belong to the call. */
  public JsonWriter beginCall(int index) {
    return begin().name("tool_calls").beginArray().beginObject().name("index").number(index);
  }

  /** Sends a chunk that opens a call of a tool. */
  public void sendCall(int index, JsonBytes id, JsonBytes name, JsonBytes arguments) {
    JsonWriter call = beginCall(index).name("id").raw(id).name("type").string("function");
    call.name("function").beginObject().name("name").raw(name).name("arguments").raw(arguments);
    send(call.endObject().endObject().endArray());
  }

  /** Sends the next piece of a call's arguments. */
  public void sendArguments(int index, JsonBytes arguments) {
    JsonWriter call = beginCall(index).name("function").beginObject();
    send(call.name("arguments").raw(arguments).endObject().endObject().endArray());
  }

  /** Sends a chunk without a finish reason. */
  public void send(JsonWriter delta) {
    delta.endObject();
    buffer.writeBytes(OPEN_END);
    sendBuffer();
  }

  /** Sends a chunk without a finish reason, with the usage so far. */
  public void send(JsonWriter delta, ReportedUsage usage) {
    delta.endObject();
    delta.name("finish_reason").nul();
    end(delta, usage);
  }

  /** Sends the chunk with the finish reason and the usage. */
  public void finish(JsonWriter delta, String reason, String ownReason, ReportedUsage usage) {
    delta.endObject();
    delta.name("finish_reason").string(reason);
    delta.name("native_finish_reason").string(ownReason);
    end(delta, usage);
  }

  private void end(JsonWriter delta, ReportedUsage usage) {
    buffer.writeBytes(END, 0, 2);
    usage.writeTo(delta);
    buffer.writeBytes(END, 2, 1);
    sendBuffer();
  }

  private void sendBuffer() {
    int from = buffer.arrayOffset();
    canonical.event(EVENT, buffer.array(), from, from + buffer.writerIndex());
    if (buffer.capacity() > BYTES_AT_REST_MAX) {
      buffer = Unpooled.buffer(BYTES_USUAL);
    }
  }

  /** Sends the end of the stream. */
  void done() {
    canonical.event(EVENT, DONE, 0, DONE.length);
  }

  /** Sends an event that is no chunk, in place of one that is unreadable and may have content. */
  public void unreadable() {
    canonical.event(EVENT, NO_CHUNK, 0, NO_CHUNK.length);
  }

  /** Sends an event without choices, in place of one that has no content. */
  public void empty() {
    canonical.event(EVENT, NO_CONTENT, 0, NO_CONTENT.length);
  }

  /** Sends a choice beyond the first, in place of one of the provider's. */
  public void otherChoice() {
    canonical.event(EVENT, OTHER_CHOICE, 0, OTHER_CHOICE.length);
  }
}
