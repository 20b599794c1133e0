package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonItems;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * Media type and base64 offset of a JSON string that is a {@code data:} URI; the payload is not
 * decoded.
 *
 * @param mediaType such as {@code image/png}
 * @param headBytes length of the string before the base64 text
 */
public record DataUri(String mediaType, int headBytes) {
  private static final int HEAD_BYTES_MAX = 256;
  private static final String SCHEME = "data:";
  private static final String BASE64 = ";base64";

  /** Bytes encoded at a time, a multiple of 3, so that only the last piece is padded. */
  private static final int PIECE_BYTES = 48 * 1024;

  /** True if a string is a data URI of any kind. */
  public static boolean isDataUri(JsonItems items, int i) {
    return head(items, i, SCHEME.length()).equals(SCHEME);
  }

  public static Optional<DataUri> of(JsonItems items, int i) {
    String head = head(items, i, HEAD_BYTES_MAX);
    int comma = head.indexOf(',');
    if (!head.startsWith(SCHEME) || comma < 0) {
      return Optional.empty();
    }
    String type = head.substring(SCHEME.length(), comma).replace("\\/", "/");
    boolean isEmpty = items.valueEnd(i) - items.valueStart(i) - 2 == comma + 1;
    return type.endsWith(BASE64) && !isEmpty
        ? Optional.of(new DataUri(plain(type.substring(0, type.length() - 7)), comma + 1))
        : Optional.empty();
  }

  /**
   * Returns the type without parameters, and under its registered name: many clients write {@code
   * image/jpg}.
   */
  private static String plain(String type) {
    int parameters = type.indexOf(';');
    String plain = parameters < 0 ? type : type.substring(0, parameters);
    return plain.equals("image/jpg") ? "image/jpeg" : plain;
  }

  /** Appends bytes as a data URI. */
  public static void write(String mediaType, ByteBuffer content, ByteBuf out) {
    ByteBufUtil.writeAscii(out, SCHEME + mediaType + BASE64 + ",");
    writeBase64(content, out);
  }

  /** Returns the number of bytes that {@link #write} appends. */
  public static int sizeBytes(String mediaType, int contentBytes) {
    return SCHEME.length() + mediaType.length() + BASE64.length() + 1 + base64Bytes(contentBytes);
  }

  /** Appends bytes in base64, piece by piece, to avoid a second array of their size. */
  public static void writeBase64(ByteBuffer content, ByteBuf out) {
    Base64.Encoder encoder = Base64.getEncoder();
    for (int at = content.position(); at < content.limit(); at += PIECE_BYTES) {
      int length = Math.min(content.limit() - at, PIECE_BYTES);
      out.writeBytes(encoder.encode(content.slice(at, length)));
    }
  }

  /** Returns the number of bytes that {@link #writeBase64} appends. */
  public static int base64Bytes(int contentBytes) {
    return 4 * Math.ceilDiv(contentBytes, 3);
  }

  private static String head(JsonItems items, int i, int bytesMax) {
    int from = items.valueStart(i) + 1;
    int length = Math.min(bytesMax, items.valueEnd(i) - 1 - from);
    return new String(items.bytes(), from, length, StandardCharsets.ISO_8859_1)
        .toLowerCase(Locale.ROOT);
  }
}
