package dev.tollgate.core.json;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Well-formed JSON text as a range of bytes: a value, or a whole member. Callers that create it
 * from raw bytes guarantee that these are well-formed. The array is never changed.
 */
public final class JsonBytes implements JsonValue {
  public static final JsonBytes NULL = raw("null");
  public static final JsonBytes TRUE = raw("true");
  public static final JsonBytes FALSE = raw("false");

  private final byte[] bytes;
  private final int from;
  private final int to;

  private JsonBytes(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
  }

  /** Creates a value from well-formed JSON text. */
  public static JsonBytes raw(String json) {
    return raw(json.getBytes(StandardCharsets.UTF_8));
  }

  public static JsonBytes raw(byte[] json) {
    return new JsonBytes(json, 0, json.length);
  }

  public static JsonBytes raw(byte[] bytes, int from, int to) {
    return new JsonBytes(bytes, from, to);
  }

  /** Returns the value of an item as written in its source, without a copy. */
  public static JsonBytes of(JsonItems items, int i) {
    return new JsonBytes(items.bytes(), items.valueStart(i), items.valueEnd(i));
  }

  /**
   * Returns the value of an item as {@link #of} does, but an integer that is written with a point
   * or an exponent, such as {@code 16.0}, without them.
   */
  public static JsonBytes normalized(JsonItems items, int i) {
    if (items.kind(i) != JsonKind.NUMBER || items.isWrittenAsInteger(i)) {
      return of(items, i);
    }
    long integer = items.integer(i, Long.MIN_VALUE);
    return integer == Long.MIN_VALUE ? of(items, i) : number(integer);
  }

  public static JsonBytes string(String text) {
    return JsonWriter.isPlain(text) ? quoted(text) : value(text);
  }

  /** Returns a string that needs no escapes. */
  private static JsonBytes quoted(String text) {
    byte[] json = new byte[text.length() + 2];
    for (int i = 0; i < text.length(); i++) {
      json[i + 1] = (byte) text.charAt(i);
    }
    json[0] = '"';
    json[json.length - 1] = '"';
    return raw(json);
  }

  public static JsonBytes number(long number) {
    return raw(Long.toString(number));
  }

  /** Converts a tree of Map, Iterable, CharSequence, Number and Boolean. */
  public static JsonBytes value(Object tree) {
    ByteBuf out = Unpooled.buffer(64);
    new JsonWriter(out).value(tree);
    return new JsonBytes(out.array(), 0, out.writerIndex());
  }

  /** Returns a whole member, ready to be inserted into an object. */
  public static JsonBytes member(String name, JsonBytes value) {
    JsonBytes key = string(name);
    byte[] json = Arrays.copyOfRange(key.bytes, key.from, key.to + 1 + value.sizeBytes());
    int colon = key.sizeBytes();
    json[colon] = ':';
    System.arraycopy(value.bytes, value.from, json, colon + 1, value.sizeBytes());
    return raw(json);
  }

  public int sizeBytes() {
    return to - from;
  }

  byte[] bytes() {
    return bytes;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  @Override
  public String toString() {
    return JsonText.raw(bytes, from, to);
  }
}
