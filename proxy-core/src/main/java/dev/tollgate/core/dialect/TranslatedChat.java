package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonOut;
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
public record TranslatedChat(ByteBuf body, List<String> dropped) {
  private static final int BODY_BYTES_USUAL = 4_096;

  public TranslatedChat {
    dropped = List.copyOf(dropped);
  }

  /** An object with the members that are written to it. */
  static TranslatedChat of(BiConsumer<JsonOut, Dropped> members) {
    var dropped = new Dropped();
    ByteBuf body = Unpooled.buffer(BODY_BYTES_USUAL);
    JsonOut out = new JsonOut(body).beginObject();
    members.accept(out, dropped);
    out.endObject();
    return new TranslatedChat(body, dropped.paths());
  }
}
