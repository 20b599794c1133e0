package dev.tollgate.core.endpoint;

import dev.tollgate.core.address.PublicUrl;
import dev.tollgate.core.blob.BlobType;
import dev.tollgate.core.fetch.Fetched;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The images that others are made of: addresses, or base64 with its type ahead of it or not. */
final class SourceImages {
  static final String MEMBER = "input_images";
  static final int COUNT_MAX = 10;

  private static final int BYTES_AROUND_ONE = 48;
  private static final int SNIFFED_CHARACTERS = 16;

  /** A multiple of 3, so that no piece but the last is padded. */
  private static final int PIECE_BYTES = 48 * 1024;

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
    if (isRemote(image)) {
      if (PublicUrl.read(image) instanceof PublicUrl.Read.Malformed malformed) {
        issues.add(param, malformed.why());
      }
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

  /** Those of a valid body that have to be fetched. */
  static List<RemoteImage> remote(JsonMembers root, int i) {
    JsonElements images = root.array(i);
    List<RemoteImage> remote = new ArrayList<>();
    for (int k = 0; k < images.size(); k++) {
      String image = images.string(k);
      if (isRemote(image)) {
        remote.add(new RemoteImage(k, Param.of(MEMBER).at(k).toString(), image));
      }
    }
    return remote;
  }

  /**
   * The same as OpenAI's edits take them in JSON, of which each is an object with its address: no
   * provider is told where an image is, it gets the one that was looked at.
   */
  static JsonBytes references(JsonMembers root, int i, Map<Integer, Fetched.Image> fetched) {
    JsonElements images = root.array(i);
    ByteBuf out = Unpooled.buffer(referenceBytes(root, i, fetched));
    out.writeByte('[');
    for (int k = 0; k < images.size(); k++) {
      ByteBufUtil.writeAscii(out, k == 0 ? "{\"image_url\":\"" : ",{\"image_url\":\"");
      Fetched.Image image = fetched.get(k);
      if (image == null) {
        writeInline(out, images, k);
      } else {
        ByteBufUtil.writeAscii(out, dataOf(image.type()));
        writeBase64(out, image);
        out.writeByte('"');
      }
      out.writeByte('}');
    }
    out.writeByte(']');
    return JsonBytes.raw(out.array(), 0, out.writerIndex());
  }

  /** JSON paths of those that do not say what they are. */
  static List<String> untyped(JsonMembers root, int i) {
    JsonElements images = root.array(i);
    List<String> paths = new ArrayList<>();
    for (int k = 0; k < images.size(); k++) {
      if (!images.string(k).regionMatches(true, 0, "data:", 0, 5)) {
        paths.add(Param.of(MEMBER).at(k).toString());
      }
    }
    return paths;
  }

  static int referenceBytes(JsonMembers root, int i, Map<Integer, Fetched.Image> fetched) {
    int bytes = root.valueEnd(i) - root.valueStart(i) + BYTES_AROUND_ONE * (count(root) + 1);
    for (Fetched.Image image : fetched.values()) {
      bytes += 4 * Math.ceilDiv(image.length(), 3);
    }
    return bytes;
  }

  private static boolean isRemote(String image) {
    return image.regionMatches(true, 0, "https://", 0, 8);
  }

  private static void writeInline(ByteBuf out, JsonElements images, int k) {
    String image = images.string(k);
    if (!image.regionMatches(true, 0, "data:", 0, 5)) {
      ByteBufUtil.writeAscii(out, dataOf(type(image)));
    }
    int from = images.valueStart(k) + 1; // as it is written, escapes and all
    out.writeBytes(images.bytes(), from, images.valueEnd(k) - from);
  }

  private static String dataOf(BlobType type) {
    return "data:" + type.mediaType() + ";base64,";
  }

  /** Piece by piece, so that it needs no second array of its size. */
  private static void writeBase64(ByteBuf out, Fetched.Image image) {
    Base64.Encoder encoder = Base64.getEncoder();
    for (int at = 0; at < image.length(); at += PIECE_BYTES) {
      int to = Math.min(image.length(), at + PIECE_BYTES);
      out.writeBytes(encoder.encode(Arrays.copyOfRange(image.bytes(), at, to)));
    }
  }

  /** By its first bytes; what they do not tell its provider may judge. */
  private static BlobType type(String base64) {
    String start = base64.substring(0, Math.min(SNIFFED_CHARACTERS, base64.length() / 4 * 4));
    ByteBuf first = Unpooled.wrappedBuffer(Base64.getDecoder().decode(start));
    return BlobType.ofImage(first).orElse(BlobType.PNG);
  }
}
