package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.mock.MockRequest.Pictures;
import java.util.Base64;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds the mock provider's healthy image replies, in base64 or with URLs that it serves itself.
 */
final class ImageText {
  private static final String FOLDER = "/_mock/images/";
  private static final Pattern FILE =
      Pattern.compile(FOLDER + "(\\d{1,4})x(\\d{1,4})-(-?\\d{1,19})\\.png");
  private static final int PIXELS_PER_TOKEN = 1_024;

  private final MockRequest request;
  private final long seed;

  ImageText(MockRequest request, long seed) {
    this.request = request;
    this.seed = seed;
  }

  private Pictures pictures() {
    return request.pictures();
  }

  /** True if the model counts tokens and always returns base64, as OpenAI's gpt-image models do. */
  static boolean returnsBase64Only(String model) {
    return model.contains("gpt-image");
  }

  /** Returns a plain body with these members after the images. */
  String body(String furtherMembers) {
    StringJoiner data = new StringJoiner(",", "[", "]");
    for (int n = 0; n < pictures().count(); n++) {
      data.add(picture(n));
    }
    return "{\"created\":%d,\"data\":%s%s}"
        .formatted(1_700_000_000L + Math.floorMod(seed, 10_000_000L), data, furtherMembers);
  }

  private String picture(int n) {
    long kind = seed + n;
    int width = pictures().width();
    int height = pictures().height();
    return pictures().base64() || returnsBase64Only(request.model())
        ? "{\"b64_json\":\"%s\"}"
            .formatted(Base64.getEncoder().encodeToString(Png.of(width, height, kind)))
        : "{\"url\":\"http://%s%s%dx%d-%d.png\"}"
            .formatted(pictures().host(), FOLDER, width, height, kind);
  }

  /**
   * Returns the image at this path, one byte per character, or null if the path is not an image.
   */
  static @Nullable String file(String path) {
    Matcher file = FILE.matcher(path);
    if (!file.matches()) {
      return null;
    }
    int width = Integer.parseInt(file.group(1));
    int height = Integer.parseInt(file.group(2));
    boolean isSupported = Math.min(width, height) > 0 && Math.max(width, height) <= Png.SIDE_MAX;
    return isSupported
        ? new String(Png.of(width, height, Long.parseLong(file.group(3))), ISO_8859_1)
        : null;
  }

  /** Returns the member with the token usage, if the model counts tokens. */
  String usageMember(String usage) {
    return returnsBase64Only(request.model()) ? ",\"usage\":" + usage : "";
  }

  String usage() {
    int pixels = pictures().width() * pictures().height();
    int output = pictures().count() * Math.ceilDiv(pixels, PIXELS_PER_TOKEN);
    int input = request.promptTokens();
    return "{\"input_tokens\":%d,\"input_tokens_details\":{\"text_tokens\":%d,\"image_tokens\":0},\"output_tokens\":%d,\"total_tokens\":%d}"
        .formatted(input, input, output, input + output);
  }
}
