package dev.tollgate.core.api.image;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.MultipartForm;
import dev.tollgate.core.catalog.ImageApiStyle.ImageSources;
import dev.tollgate.core.dialect.DataUri;
import dev.tollgate.core.dialect.InputImage;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.http.multipart.FormPart;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reader and writer of the source images of an image request, which are URLs, data URLs or plain
 * base64.
 */
final class SourceImages {
  static final String MEMBER = "input_images";
  static final int COUNT_MAX = 10;

  private static final int BYTES_AROUND_ONE = 64;

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

  /** Returns the number of images in a valid body. */
  static int count(JsonMembers root) {
    int i = root.indexOf(MEMBER);
    return i >= 0 && root.kind(i) == JsonKind.ARRAY ? root.array(i).size() : 0;
  }

  /** Returns the images of a valid body that must be fetched. */
  static List<MediaUrl> remote(JsonMembers root, int i) {
    JsonElements images = root.array(i);
    List<MediaUrl> remote = new ArrayList<>();
    for (int k = 0; k < images.size(); k++) {
      if (SourceImage.beginning(images, k) instanceof SourceImage.Remote) {
        remote.add(new MediaUrl(k, Param.of(MEMBER).at(k).toString(), images.string(k)));
      }
    }
    return remote;
  }

  /** Returns the images that a valid body contains. */
  static List<SentImage> sent(JsonMembers root, int i) {
    JsonElements images = root.array(i);
    List<SentImage> sent = new ArrayList<>();
    for (int k = 0; k < images.size(); k++) {
      if (SourceImage.beginning(images, k) instanceof SourceImage.Inline inline) {
        int at = base64At(images, k, inline);
        sent.add(new SentImage(images, k, inline.isTyped(), inline.type(), at));
      }
    }
    return sent;
  }

  /**
   * Returns the images as data URLs in JSON for servers with OpenAI's dialect. The provider never
   * gets a client's URL, but the image that was fetched and checked.
   */
  static JsonBytes references(JsonMembers root, int i, Map<Integer, Source> here, ImageSources as) {
    String begin =
        switch (as) {
          case REFERENCES -> "{\"image_url\":\"";
          case TYPED_REFERENCES -> "{\"type\":\"image_url\",\"url\":\"";
          case SINGLE_URL -> "\"";
        };
    boolean isList = as != ImageSources.SINGLE_URL;
    ByteBuf out = Unpooled.buffer(referenceBytes(root, i, here));
    ByteBufUtil.writeAscii(out, isList ? "[" : "");
    List<Source> sources = all(root, i, here);
    for (int k = 0; k < sources.size(); k++) {
      ByteBufUtil.writeAscii(out, (k == 0 ? "" : ",") + begin);
      sources.get(k).writeDataTo(out);
      ByteBufUtil.writeAscii(out, isList ? "}" : "");
    }
    ByteBufUtil.writeAscii(out, isList ? "]" : "");
    return JsonBytes.raw(out.array(), 0, out.writerIndex());
  }

  /** Returns all images of a valid body, each of which is present. */
  static List<Source> all(JsonMembers root, int i, Map<Integer, Source> here) {
    JsonElements images = root.array(i);
    List<Source> all = new ArrayList<>();
    for (int k = 0; k < images.size(); k++) {
      Source image = here.get(k);
      if (image != null) {
        all.add(image);
      } else if (SourceImage.beginning(images, k) instanceof SourceImage.Inline inline) {
        all.add(new InlineImage(images, k, inline.type(), base64At(images, k, inline)));
      }
    }
    return all;
  }

  private static int base64At(JsonElements images, int k, SourceImage.Inline inline) {
    return inline.isTyped() ? afterComma(images, k) : images.valueStart(k) + 1;
  }

  /** Returns the offset after the first comma, which may be escaped in JSON. */
  private static int afterComma(JsonElements images, int k) {
    byte[] bytes = images.bytes();
    int at = images.valueStart(k);
    while (bytes[at] != ',') {
      boolean isEscape = bytes[at] == '\\' && bytes[at + 1] == 'u';
      if (isEscape && new String(bytes, at + 2, 4, US_ASCII).equalsIgnoreCase("002c")) {
        return at + 6;
      }
      at++;
    }
    return at + 1;
  }

  static int referenceBytes(JsonMembers root, int i, Map<Integer, Source> here) {
    int bytes = root.valueEnd(i) - root.valueStart(i) + BYTES_AROUND_ONE * (count(root) + 1);
    return bytes + bytesOf(here);
  }

  /** Returns the base64 size of images that are not in the request's JSON, in bytes. */
  static int bytesOf(Map<Integer, Source> here) {
    return here.values().stream().mapToInt(Source::sizeBytes).sum();
  }

  /** Returns a fetched image. */
  static Source of(FetchResult.Image image) {
    return new RawImage(ByteBuffer.wrap(image.bytes(), 0, image.length()), image.type());
  }

  /** Returns the image in a file of a form; empty if the file is no image. */
  static Optional<Source> of(MultipartForm form, FormPart part) {
    ByteBuffer content = ByteBuffer.wrap(form.bytes(), part.from(), part.sizeBytes());
    return BlobType.ofImage(Unpooled.wrappedBuffer(content))
        .map(type -> new RawImage(content, type));
  }

  /** Source image that is present, from the request or fetched. */
  sealed interface Source extends InputImage {
    BlobType type();

    @Override
    default String mediaType() {
      return type().mediaType();
    }

    /** Appends the rest of a JSON string that begins with the type. */
    default void writeDataTo(ByteBuf out) {
      ByteBufUtil.writeAscii(out, "data:" + mediaType() + ";base64,");
      writeRestTo(out);
    }

    @Override
    default void writeTo(ByteBuf out) {
      out.writeByte('"');
      writeRestTo(out);
    }

    /** Appends the base64 and the closing quotation mark. */
    void writeRestTo(ByteBuf out);
  }

  /**
   * Image in the request's JSON.
   *
   * @param at offset of its base64, which is copied with its escapes
   */
  private record InlineImage(JsonElements images, int k, BlobType type, int at) implements Source {
    @Override
    public int sizeBytes() {
      return images.valueEnd(k) - at;
    }

    @Override
    public void writeRestTo(ByteBuf out) {
      out.writeBytes(images.bytes(), at, sizeBytes());
    }
  }

  /** Image as raw bytes. */
  private record RawImage(ByteBuffer content, BlobType type) implements Source {
    @Override
    public int sizeBytes() {
      return DataUri.base64Bytes(content.remaining());
    }

    @Override
    public void writeRestTo(ByteBuf out) {
      DataUri.writeBase64(content, out);
      out.writeByte('"');
    }
  }
}
