package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.Base64;
import java.util.regex.Pattern;

/** The images that others are made of: addresses, or base64 with its type ahead of it or not. */
final class SourceImages {
  static final int COUNT_MAX = 10;

  private static final Pattern ENCODED_TYPE =
      Pattern.compile("data:image/(png|jpe?g|webp|gif);base64", Pattern.CASE_INSENSITIVE);

  private SourceImages() {}

  static void check(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.ARRAY) {
      issues.add(param, "must be an array of strings");
      return;
    }
    JsonElements images = items.array(i);
    if (images.size() > COUNT_MAX) {
      issues.add(param, "must not have more than 10 images");
      return;
    }
    for (int k = 0; k < images.size(); k++) {
      if (images.kind(k) == JsonKind.STRING) {
        check(images.string(k), param.at(k), issues);
      } else {
        issues.add(param.at(k), "must be a string");
      }
    }
  }

  private static void check(String image, Param param, Issues issues) {
    if (image.regionMatches(true, 0, "https://", 0, 8)) {
      return;
    }
    int comma = image.regionMatches(true, 0, "data:", 0, 5) ? image.indexOf(',') : -1;
    if (comma >= 0 && !ENCODED_TYPE.matcher(image).region(0, comma).matches()) {
      issues.add(param, "must be a PNG, JPEG, WebP or GIF in base64, or an https URL");
    } else if (!isBase64(image.substring(comma + 1))) {
      issues.add(param, "must be an https URL or an image in base64");
    }
  }

  private static boolean isBase64(String text) {
    try {
      return Base64.getDecoder().decode(text).length > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** How many there are in a valid body. */
  static int count(JsonMembers root) {
    int i = root.indexOf("input_images");
    return i >= 0 && root.kind(i) == JsonKind.ARRAY ? root.array(i).size() : 0;
  }
}
