package dev.tollgate.core.api.image;

import dev.tollgate.core.api.Base64Text;
import dev.tollgate.core.json.JsonChars;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.Unpooled;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Form in which a request contains one source image: a URL to fetch, inline base64, or an invalid
 * value. The image may have megabytes and is read in place; its declared type is compared with its
 * first bytes.
 */
sealed interface SourceImage {
  /** Image to fetch from a URL. */
  record Remote() implements SourceImage {}

  /**
   * Image in base64 in the request.
   *
   * @param isTyped true for a data URL, which has its type in front
   */
  record Inline(BlobType type, boolean isTyped) implements SourceImage {}

  /** Neither form; {@code why} follows the field's name in the error message. */
  record Flawed(String why) implements SourceImage {}

  String HTTPS = "https://";
  String DATA = "data:";
  Pattern ENCODED_TYPE =
      Pattern.compile("data:image/(png|jpe?g|webp|gif);base64,", Pattern.CASE_INSENSITIVE);
  int TYPE_CHARS_MAX = "data:image/jpeg;base64,".length();

  /** Characters of base64 that determine a type. */
  int TELLING_CHARS = 16;

  /** Reads the beginning only, for an image that {@link #whole} found valid. */
  static SourceImage beginning(JsonItems items, int i) {
    String head = items.chars(i).take(TYPE_CHARS_MAX + TELLING_CHARS);
    if (begins(head, HTTPS)) {
      return new Remote();
    }
    Matcher type = ENCODED_TYPE.matcher(head);
    boolean isTyped = type.lookingAt();
    if (!isTyped && begins(head, DATA)) {
      return new Flawed("must be a PNG, JPEG, WebP or GIF in base64, or an https URL");
    }
    Optional<BlobType> content = content(head.substring(isTyped ? type.end() : 0));
    if (content.isEmpty()) {
      return new Flawed("must be an https URL, or a PNG, JPEG, WebP or GIF in base64");
    }
    return isTyped && !content.get().equals(named(type.group(1)))
        ? new Flawed("declares a type that differs from its content: " + content.get().mediaType())
        : new Inline(content.get(), isTyped);
  }

  /** Reads and checks all of the image. */
  static SourceImage whole(JsonItems items, int i) {
    return switch (beginning(items, i)) {
      case Remote remote ->
          PublicUrl.parse(items.chars(i).take(PublicUrl.CHARS_MAX + 1))
                  instanceof PublicUrl.UrlParseResult.Malformed malformed
              ? new Flawed(malformed.why())
              : remote;
      case Inline inline ->
          isBase64(items.chars(i), inline.isTyped())
              ? inline
              : new Flawed("must be an https URL or an image in base64");
      case Flawed flawed -> flawed;
    };
  }

  private static boolean begins(String head, String prefix) {
    return head.regionMatches(true, 0, prefix, 0, prefix.length());
  }

  private static BlobType named(String subtype) {
    return switch (subtype.charAt(0)) {
      case 'p', 'P' -> BlobType.PNG;
      case 'j', 'J' -> BlobType.JPEG;
      case 'w', 'W' -> BlobType.WEBP;
      default -> BlobType.GIF; // the pattern matches no other type
    };
  }

  private static Optional<BlobType> content(String base64) {
    if (base64.length() < TELLING_CHARS) {
      return Optional.empty();
    }
    try {
      byte[] first = Base64.getDecoder().decode(base64.substring(0, TELLING_CHARS));
      return BlobType.ofImage(Unpooled.wrappedBuffer(first));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isBase64(JsonChars chars, boolean isTyped) {
    while (isTyped && chars.next() != ',') {} // skips the prefix of the data URL
    return Base64Text.isValid(chars);
  }
}
