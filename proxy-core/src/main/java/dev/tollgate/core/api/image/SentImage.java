package dev.tollgate.core.api.image;

import dev.tollgate.core.json.JsonChars;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * Source image that a client included as base64 in a valid request, decoded from the request's
 * array on demand.
 */
public final class SentImage implements JobImage {
  /** Characters decoded at a time, a multiple of 4, so that only the last piece is padded. */
  private static final int PIECE_CHARS = 64 * 1024;

  private final JsonElements images;
  private final int k;
  private final boolean isTyped;
  private final BlobType type;
  private final int at;

  /**
   * @param isTyped true for a data URL, which has its type in front
   * @param type type by the first bytes
   * @param at offset of its base64
   */
  SentImage(JsonElements images, int k, boolean isTyped, BlobType type, int at) {
    this.images = images;
    this.k = k;
    this.isTyped = isTyped;
    this.type = type;
    this.at = at;
  }

  /** Returns its position in the list of images. */
  int index() {
    return k;
  }

  @Override
  public BlobType type() {
    return type;
  }

  @Override
  public int bytesMax() {
    return images.valueEnd(k) - at;
  }

  @Override
  public ByteBuf decoded() {
    ByteBuffer text = ByteBuffer.wrap(images.bytes(), at, images.valueEnd(k) - 1 - at);
    try {
      return Unpooled.wrappedBuffer(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      return unescaped(); // the request is valid, so it has escapes
    }
  }

  /**
   * Decodes a text with escapes, such as an escaped slash, piece by piece to avoid another copy.
   */
  private ByteBuf unescaped() {
    JsonChars chars = images.chars(k);
    while (isTyped && chars.next() != ',') {} // skips the prefix of the data URL
    ByteBuf bytes = Unpooled.buffer(bytesMax());
    byte[] piece = new byte[PIECE_CHARS];
    int length = PIECE_CHARS;
    while (length == PIECE_CHARS) {
      length = fill(piece, chars);
      bytes.writeBytes(Base64.getDecoder().decode(ByteBuffer.wrap(piece, 0, length)));
    }
    return bytes;
  }

  private static int fill(byte[] piece, JsonChars chars) {
    int length = 0;
    while (length < piece.length) {
      int c = chars.next();
      if (c == JsonChars.END) {
        break;
      }
      piece[length++] = (byte) c;
    }
    return length;
  }
}
