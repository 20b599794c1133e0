package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A chat in a provider's own form.
 *
 * @param body on the heap
 * @param dropped JSON paths of what the provider does not get, because it has nothing like it
 */
public record TranslatedRequest(ByteBuf body, List<String> dropped) {
  private static final int BODY_BYTES_USUAL = 4_096;

  public TranslatedRequest {
    dropped = List.copyOf(dropped);
  }

  /** An object with the members that are written to it. */
  public static TranslatedRequest of(BiConsumer<JsonWriter, DroppedFields> members) {
    var dropped = new DroppedFields();
    ByteBuf body = Unpooled.buffer(BODY_BYTES_USUAL);
    JsonWriter out = new JsonWriter(body).beginObject();
    members.accept(out, dropped);
    out.endObject();
    return new TranslatedRequest(body, dropped.paths());
  }
}
