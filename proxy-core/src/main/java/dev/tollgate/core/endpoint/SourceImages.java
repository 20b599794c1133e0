package dev.tollgate.core.endpoint;

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

/** The images that others are made of: addresses, or base64 with its type ahead of it or not. */
final class SourceImages {
  static final String MEMBER = "input_images";
  static final int COUNT_MAX = 10;

  private static final int BYTES_AROUND_ONE = 48;

  /** A multiple of 3, so that no piece but the last is padded. */
  private static final int PIECE_BYTES = 48 * 1024;

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
      if (images.kind(k) != JsonKind.STRING) {
        issues.add(param.at(k), "must be a string");
      } else if (SourceImage.whole(images, k) instanceof SourceImage.Flawed flawed) {
        issues.add(param.at(k), flawed.why());
      }
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
      if (SourceImage.beginning(images, k) instanceof SourceImage.Remote) {
        remote.add(new RemoteImage(k, Param.of(MEMBER).at(k).toString(), images.string(k)));
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
      if (!isTyped(images, k)) {
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

  private static boolean isTyped(JsonElements images, int k) {
    return SourceImage.beginning(images, k) instanceof SourceImage.Inline inline
        && inline.isTyped();
  }

  private static void writeInline(ByteBuf out, JsonElements images, int k) {
    if (SourceImage.beginning(images, k) instanceof SourceImage.Inline inline
        && !inline.isTyped()) {
      ByteBufUtil.writeAscii(out, dataOf(inline.type()));
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
}
