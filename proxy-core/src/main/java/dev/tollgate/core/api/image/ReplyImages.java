package dev.tollgate.core.api.image;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Images that a provider returned as base64 and that the gateway stores: each is decoded when it is
 * stored, and replaced by its URL. Other members of an image are kept.
 */
final class ReplyImages {
  static final ReplyImages NONE = new ReplyImages(null, List.of());

  private static final String BYTES = "b64_json";
  private static final String ADDRESS = "url";

  private final @Nullable JsonElements data;
  private final List<Integer> items;
  private final @Nullable String[] urls;

  private ReplyImages(@Nullable JsonElements data, List<Integer> items) {
    this.data = data;
    this.items = List.copyOf(items);
    this.urls = new String[items.size()];
  }

  static ReplyImages of(JsonMembers root, int dataAt) {
    JsonElements data = root.array(dataAt);
    List<Integer> items = new ArrayList<>();
    for (int k = 0; k < data.size(); k++) {
      if (data.kind(k) == JsonKind.OBJECT && isThere(data.object(k), BYTES)) {
        items.add(k);
      }
    }
    return items.isEmpty() ? NONE : new ReplyImages(data, items);
  }

  /** True if an image has a text of this name. */
  static boolean isThere(JsonMembers image, String name) {
    int i = image.indexOf(name);
    return i >= 0 && image.kind(i) == JsonKind.STRING && !image.isEmptyString(i);
  }

  int count() {
    return items.size();
  }

  private JsonMembers image(int part) {
    if (data == null) {
      throw new IllegalStateException("this reply has no parts to store");
    }
    return data.object(items.get(part));
  }

  /**
   * Returns the bound of the bytes in memory: the base64, and the decoded text beside it if it has
   * escapes.
   */
  int bytesMax(int part) {
    JsonMembers image = image(part);
    int i = image.indexOf(BYTES);
    return image.valueEnd(i) - image.valueStart(i);
  }

  /** Returns the decoded bytes; empty if they are not valid base64. */
  Optional<ByteBuf> decoded(int part) {
    JsonMembers image = image(part);
    int i = image.indexOf(BYTES);
    int from = image.valueStart(i) + 1;
    ByteBuffer text = ByteBuffer.wrap(image.bytes(), from, image.valueEnd(i) - 1 - from);
    try {
      return Optional.of(Unpooled.wrappedBuffer(Base64.getDecoder().decode(text)));
    } catch (IllegalArgumentException e) {
      return decoded(image.string(i));
    }
  }

  /** Decodes text with escapes: JSON allows an escaped slash. */
  private static Optional<ByteBuf> decoded(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    try {
      return Optional.of(Unpooled.wrappedBuffer(Base64.getDecoder().decode(bytes)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  void storedAt(int part, String url) {
    urls[part] = url;
  }

  /** Returns the list with URLs in place of stored images; null if none was stored. */
  @Nullable JsonSplice edits() {
    JsonSplice edits = null;
    for (int part = 0; part < urls.length; part++) {
      String url = urls[part];
      if (url != null && data != null) {
        edits = edits == null ? JsonSplice.of(data) : edits;
        edits.replace(items.get(part), at(image(part), url));
      }
    }
    return edits;
  }

  private static JsonSplice at(JsonMembers image, String url) {
    JsonSplice edits = JsonSplice.of(image);
    edits.insertBefore(image.indexOf(BYTES), ADDRESS, JsonBytes.string(url));
    for (String name : List.of(BYTES, ADDRESS)) {
      for (int i = image.indexOf(name); i >= 0; i = image.indexOf(name, i + 1)) {
        edits.delete(i);
      }
    }
    return edits;
  }
}
