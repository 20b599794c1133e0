package dev.tollgate.core.json;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writer that appends JSON tokens to a buffer and inserts the commas. Strings are escaped as JSON
 * requires; unpaired surrogates become escapes, so that the output is always UTF-8.
 */
public final class JsonWriter {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final ByteBuf out;
  private boolean comma;

  public JsonWriter(ByteBuf out) {
    this.out = out;
  }

  public JsonWriter beginObject() {
    return open('{');
  }

  public JsonWriter endObject() {
    return close('}');
  }

  public JsonWriter beginArray() {
    return open('[');
  }

  public JsonWriter endArray() {
    return close(']');
  }

  /** Writes a member's name; the next value written is its value. */
  public JsonWriter name(String name) {
    separate();
    quoted(name);
    out.writeByte(':');
    comma = false;
    return this;
  }

  public JsonWriter string(CharSequence text) {
    separate();
    quoted(text);
    return this;
  }

  /**
   * Writes a string value as its source writes it, without its beginning: the content of a data URL
   * is not decoded.
   *
   * @param bytesSkipped number of bytes between the quotation marks to skip; must not end within an
   *     escape
   */
  public JsonWriter stringBehind(JsonItems items, int i, int bytesSkipped) {
    items.require(i, JsonKind.STRING);
    separate();
    out.writeByte('"');
    int from = items.valueStart(i) + 1 + bytesSkipped;
    out.writeBytes(items.bytes(), from, items.valueEnd(i) - from);
    return this;
  }

  public JsonWriter number(long number) {
    return ascii(Long.toString(number));
  }

  public JsonWriter bool(boolean value) {
    return ascii(value ? "true" : "false");
  }

  public JsonWriter nul() {
    return ascii("null");
  }

  /** Writes a finished value unchanged. */
  public JsonWriter raw(JsonValue value) {
    separate();
    switch (value) {
      case JsonBytes bytes ->
          out.writeBytes(bytes.bytes(), bytes.from(), bytes.to() - bytes.from());
      case JsonSplice splice -> splice.writeTo(out);
    }
    return this;
  }

  /** Writes a tree of Map, Iterable, CharSequence, Number, Boolean, JsonValue and null. */
  public JsonWriter value(@Nullable Object tree) {
    return switch (tree) {
      case null -> nul();
      case CharSequence text -> string(text);
      case Boolean bool -> bool(bool);
      case Number number -> ascii(number(number));
      case JsonValue value -> raw(value);
      case Map<?, ?> map -> object(map);
      case Iterable<?> list -> array(list);
      case Object other ->
          throw new IllegalArgumentException("not a JSON tree: " + other.getClass().getName());
    };
  }

  private JsonWriter object(Map<?, ?> map) {
    beginObject();
    map.forEach((name, value) -> name(String.valueOf(name)).value(value));
    return endObject();
  }

  private JsonWriter array(Iterable<?> list) {
    beginArray();
    list.forEach(this::value);
    return endArray();
  }

  private static String number(Number number) {
    if (!Double.isFinite(number.doubleValue())) {
      throw new IllegalArgumentException("not a JSON number: " + number);
    }
    return number.toString();
  }

  private JsonWriter open(char bracket) {
    separate();
    out.writeByte(bracket);
    comma = false;
    return this;
  }

  private JsonWriter close(char bracket) {
    out.writeByte(bracket);
    comma = true;
    return this;
  }

  private JsonWriter ascii(String text) {
    separate();
    out.writeCharSequence(text, StandardCharsets.US_ASCII);
    return this;
  }

  private void separate() {
    if (comma) {
      out.writeByte(',');
    }
    comma = true;
  }

  private void quoted(CharSequence text) {
    out.writeByte('"');
    if (isPlain(text)) {
      out.writeCharSequence(text, StandardCharsets.US_ASCII);
    } else {
      for (int i = 0; i < text.length(); i++) {
        i = character(text, i);
      }
    }
    out.writeByte('"');
  }

  /** True if the text needs no escapes. */
  static boolean isPlain(CharSequence text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** Writes the character at {@code i} and returns the index of its last char. */
  private int character(CharSequence text, int i) {
    char c = text.charAt(i);
    if (c == '"' || c == '\\') {
      out.writeByte('\\').writeByte(c);
    } else if (c < 0x20) {
      escaped(c);
    } else if (c < 0x80) {
      out.writeByte(c);
    } else if (c < 0x800) {
      out.writeByte(0xc0 | (c >> 6));
      continuation(c);
    } else if (!Character.isSurrogate(c)) {
      out.writeByte(0xe0 | (c >> 12));
      continuation(c >> 6);
      continuation(c);
    } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
      supplementary(Character.toCodePoint(c, text.charAt(i + 1)));
      return i + 1;
    } else {
      escaped(c);
    }
    return i;
  }

  private void supplementary(int c) {
    out.writeByte(0xf0 | (c >> 18));
    continuation(c >> 12);
    continuation(c >> 6);
    continuation(c);
  }

  private void continuation(int bits) {
    out.writeByte(0x80 | (bits & 0x3f));
  }

  private void escaped(char c) {
    int letter = "\b\t\n\f\r".indexOf(c);
    out.writeByte('\\');
    if (letter >= 0) {
      out.writeByte("btnfr".charAt(letter));
      return;
    }
    out.writeByte('u');
    for (int shift = 12; shift >= 0; shift -= 4) {
      out.writeByte(HEX[(c >> shift) & 0xf]);
    }
  }
}
