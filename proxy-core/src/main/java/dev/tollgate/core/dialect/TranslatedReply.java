package dev.tollgate.core.dialect;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.BiConsumer;

/**
 * Body of a plain (not streamed) reply in canonical form, or the provider's own body if it could
 * not be translated.
 */
public final class TranslatedReply {
  /** Room for the members that a canonical reply has and the provider's does not. */
  private static final int BYTES_ADDED_USUAL = 512;

  private final byte[] bytes;
  private final int length;

  private TranslatedReply(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  /**
   * Translates a body. A body that is not JSON, or of which {@code form} writes nothing, stays as
   * it is: the reader of the reply reports it.
   *
   * @param form writes the canonical reply, or nothing if the object is not a reply
   */
  public static TranslatedReply of(
      byte[] body, int length, BiConsumer<JsonMembers, JsonWriter> form) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      ByteBuf out = Unpooled.buffer(length + BYTES_ADDED_USUAL);
      form.accept(root, new JsonWriter(out));
      if (out.isReadable()) {
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Not a reply either.
    }
    return new TranslatedReply(body, length);
  }

  /** The array; only the first {@link #length()} bytes are the reply. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }
}
