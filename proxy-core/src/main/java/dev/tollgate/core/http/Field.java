package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;

/**
 * HTTP field line to send: the name is a token, the value Latin-1 text without control characters
 * except TAB.
 */
public record Field(String name, String value) implements FieldLines {
  public Field {
    if (!isToken(name)) {
      throw new IllegalArgumentException("the field name is not a token");
    }
    if (!isText(value)) {
      throw new IllegalArgumentException("invalid character in the value of field " + name);
    }
  }

  @Override
  public void writeTo(ByteBuf out) {
    HeadWriter.field(out, this);
  }

  private static boolean isToken(String text) {
    boolean sound = !text.isEmpty();
    for (int i = 0; sound && i < text.length(); i++) {
      sound = text.charAt(i) < 0x80 && Grammar.isToken((byte) text.charAt(i));
    }
    return sound;
  }

  private static boolean isText(String text) {
    boolean sound = true;
    for (int i = 0; sound && i < text.length(); i++) {
      sound = text.charAt(i) <= 0xff && Grammar.isText((byte) text.charAt(i));
    }
    return sound;
  }
}
