package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonItems;
import java.nio.charset.StandardCharsets;
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
    return type.endsWith(BASE64)
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

  private static String head(JsonItems items, int i, int bytesMax) {
    int from = items.valueStart(i) + 1;
    int length = Math.min(bytesMax, items.valueEnd(i) - 1 - from);
    return new String(items.bytes(), from, length, StandardCharsets.ISO_8859_1)
        .toLowerCase(Locale.ROOT);
  }
}
