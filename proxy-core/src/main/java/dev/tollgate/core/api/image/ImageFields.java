package dev.tollgate.core.api.image;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.ValueRule;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Validation rules of the fields in a JSON image request, and their conversion to {@link
 * ImageOptions}.
 */
final class ImageFields {
  static final int PROMPT_CHARACTERS_MAX = 32_000;
  static final Set<String> QUALITIES = Set.of("standard", "hd", "low", "medium", "high", "auto");
  static final Pattern SIZE = Pattern.compile("[1-9]\\d{0,4}x[1-9]\\d{0,4}");
  static final String NOT_A_SIZE = "must be of the form <width>x<height>, such as 1024x1024";
  static final String NOT_A_QUALITY = "must be standard, hd, low, medium, high or auto";
  static final String NOT_A_FORMAT = "must be url or b64_json";
  static final String NOT_STREAMED = "must be false: images are not streamed";
  static final String NOT_COUNTED = "belongs in a form; in JSON, images go into input_images";
  static final String NOT_READ = "is not read: images go into input_images";
  static final String PROMPT_TOO_LONG = "must not have more than 32,000 characters";

  /** Names of fields in which providers expect images and which clients' JSON must not have. */
  static final Set<String> UPSTREAM_IMAGE_FIELDS =
      Set.of("image", "images", "mask", "image_url", "reference_images");

  private ImageFields() {}

  static Map<String, ValueRule> rules() {
    Map<String, ValueRule> rules = new HashMap<>();
    FieldRules.putCommon(rules);
    rules.put("prompt", ImageFields::prompt);
    rules.put("n", ValueRule.integer(1, ImageOptions.COUNT_MAX).orNull());
    rules.put("size", FieldRules.rule(ImageFields::size).orNull());
    rules.put("quality", FieldRules.rule(ImageFields::quality).orNull());
    rules.put("style", ValueRule.string().orNull());
    rules.put("response_format", FieldRules.rule(ImageFields::format).orNull());
    rules.put(SourceImages.MEMBER, FieldRules.rule(SourceImages::check).orNull());
    rules.put("image", FieldRules.rule(ImageFields::onlyInForms).orNull());
    rules.put("images", FieldRules.rule(ImageFields::onlyInForms).orNull());
    rules.put("mask", FieldRules.rule(ImageFields::onlyInForms).orNull());
    rules.put("image_url", FieldRules.rule(ImageFields::notRead).orNull());
    rules.put("reference_images", FieldRules.rule(ImageFields::notRead).orNull());
    rules.put("stream", FieldRules.rule(ImageFields::stream).orNull());
    // Some servers take the size from these; a size given twice could be two sizes.
    rules.put("width", ValueRule.ANY);
    rules.put("height", ValueRule.ANY);
    rules.put("aspect_ratio", ValueRule.ANY);
    rules.put("resolution", ValueRule.ANY);
    return rules;
  }

  private static void prompt(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.STRING) {
      issues.add(param, "must be a string");
    } else if (items.isEmptyString(i)) {
      issues.add(param, "must not be empty");
    } else if (characters(items.string(i)) > PROMPT_CHARACTERS_MAX) {
      issues.add(param, PROMPT_TOO_LONG);
    }
  }

  /** Counts characters; a surrogate pair counts as one. */
  static int characters(String text) {
    return text.codePointCount(0, text.length());
  }

  private static void size(JsonItems items, int i, Param param, Issues issues) {
    boolean isText = items.kind(i) == JsonKind.STRING;
    if (!isText || !SIZE.matcher(items.string(i)).matches()) {
      issues.add(param, NOT_A_SIZE);
    }
  }

  private static void quality(JsonItems items, int i, Param param, Issues issues) {
    boolean isText = items.kind(i) == JsonKind.STRING;
    if (!isText || !QUALITIES.contains(items.string(i))) {
      issues.add(param, NOT_A_QUALITY);
    }
  }

  private static void format(JsonItems items, int i, Param param, Issues issues) {
    boolean isText = items.kind(i) == JsonKind.STRING;
    if (!isText || ImageFormat.parse(items.string(i)).isEmpty()) {
      issues.add(param, NOT_A_FORMAT);
    }
  }

  /**
   * Refuses image fields of forms: a provider would accept and charge them, without a reservation
   * for them.
   */
  private static void onlyInForms(JsonItems items, int i, Param param, Issues issues) {
    issues.add(param, NOT_COUNTED);
  }

  /** Refuses the image fields of servers that take no forms. */
  private static void notRead(JsonItems items, int i, Param param, Issues issues) {
    issues.add(param, NOT_READ);
  }

  /** Refuses streams, which would be paid for and could not be delivered. */
  private static void stream(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.FALSE) {
      issues.add(param, NOT_STREAMED);
    }
  }

  /** Returns the options of a valid body. What is passed on unread may be prompt. */
  static ImageOptions options(JsonMembers root, long unreadBytes) {
    int n = root.indexOf("n");
    return new ImageOptions(
        n < 0 ? 1 : (int) root.integer(n, 1),
        text(root, "size"),
        text(root, "quality"),
        ImageFormat.of(text(root, ImageBody.FORMAT)),
        RequestRoot.bytesOf(root, "prompt") + unreadBytes,
        SourceImages.count(root));
  }

  private static Optional<String> text(JsonMembers root, String name) {
    return RequestRoot.isGiven(root, name)
        ? Optional.of(root.string(root.indexOf(name)))
        : Optional.empty();
  }
}
