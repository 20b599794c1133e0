package dev.tollgate.core.api.responses;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Builder of a JSON string from pieces, each of which keeps its escapes. */
final class JsonStringBuilder {
  private static final JsonBytes EMPTY = JsonBytes.string("");
  private static final int QUOTE_BYTES = 1;

  /** The string without its closing quotation mark; empty before the first piece. */
  private ByteBuf open = Unpooled.EMPTY_BUFFER;

  /** Adds the text of a string value. */
  void add(JsonItems items, int i) {
    if (items.kind(i) == JsonKind.STRING && !items.isEmptyString(i)) {
      int from = items.valueStart(i) + QUOTE_BYTES;
      add(items.bytes(), from, items.valueEnd(i) - QUOTE_BYTES);
    }
  }

  /** Adds text of the gateway. */
  void add(String text) {
    ByteBuf quoted = Unpooled.buffer(text.length() + 2 * QUOTE_BYTES);
    new JsonWriter(quoted).string(text);
    add(quoted.array(), QUOTE_BYTES, quoted.writerIndex() - QUOTE_BYTES);
  }

  private void add(byte[] bytes, int from, int to) {
    if (isEmpty()) {
      open = Unpooled.buffer(to - from + 2 * QUOTE_BYTES).writeByte('"');
    }
    open.writeBytes(bytes, from, to - from);
  }

  boolean isEmpty() {
    return !open.isReadable();
  }

  /** True if the text is a whole JSON object. */
  boolean isObject() {
    byte[] member = ("{\"text\":" + json() + "}").getBytes(UTF_8);
    byte[] text = JsonMembers.ofKept(member).string(0).getBytes(UTF_8);
    try {
      return JsonMembers.of(text, 0, text.length).objectEnd() > 0;
    } catch (InvalidJson e) {
      return false;
    }
  }

  int bytes() {
    return open.readableBytes();
  }

  /** Returns the string so far; valid until more is added. */
  JsonBytes json() {
    if (isEmpty()) {
      return EMPTY;
    }
    int end = open.writerIndex();
    open.writeByte('"').writerIndex(end);
    return JsonBytes.raw(open.array(), 0, end + QUOTE_BYTES);
  }
}
