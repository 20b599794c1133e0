package dev.tollgate.core.endpoint;

import dev.tollgate.core.blob.BlobType;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Base64;
import java.util.regex.Pattern;

/** The images that others are made of: addresses, or base64 with its type ahead of it or not. */
final class SourceImages {
  static final String MEMBER = "input_images";
  static final int COUNT_MAX = 10;

  private static final int BYTES_AROUND_ONE = 48;
  private static final int SNIFFED_CHARACTERS = 16;

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
    int i = root.indexOf(MEMBER);
    return i >= 0 && root.kind(i) == JsonKind.ARRAY ? root.array(i).size() : 0;
  }

  /** The same as OpenAI's edits take them in JSON, of which each is an object with its address. */
  static JsonBytes references(JsonMembers root, int i) {
    JsonElements images = root.array(i);
    ByteBuf out = Unpooled.buffer(referenceBytes(root, i));
    out.writeByte('[');
    for (int k = 0; k < images.size(); k++) {
      ByteBufUtil.writeAscii(out, k == 0 ? "{\"image_url\":\"" : ",{\"image_url\":\"");
      String image = images.string(k);
      if (!isAddress(image)) {
        ByteBufUtil.writeAscii(out, "data:" + mediaType(image) + ";base64,");
      }
      int from = images.valueStart(k) + 1; // as it is written, escapes and all
      out.writeBytes(images.bytes(), from, images.valueEnd(k) - from);
      out.writeByte('}');
    }
    out.writeByte(']');
    return JsonBytes.raw(out.array(), 0, out.writerIndex());
  }

  static int referenceBytes(JsonMembers root, int i) {
    return root.valueEnd(i) - root.valueStart(i) + BYTES_AROUND_ONE * (count(root) + 1);
  }

  private static boolean isAddress(String image) {
    return image.regionMatches(true, 0, "https://", 0, 8)
        || image.regionMatches(true, 0, "data:", 0, 5);
  }

  /** By its first bytes; what they do not tell its provider may judge. */
  private static String mediaType(String base64) {
    String start = base64.substring(0, Math.min(SNIFFED_CHARACTERS, base64.length() / 4 * 4));
    ByteBuf first = Unpooled.wrappedBuffer(Base64.getDecoder().decode(start));
    return BlobType.ofImage(first).orElse(BlobType.PNG).mediaType();
  }
}
