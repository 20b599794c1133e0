package dev.tollgate.core.dialect;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A chat in a provider's own form.
 *
 * @param body on the heap
 * @param dropped JSON paths of what the provider does not get, because it has nothing like it
 */
public record TranslatedChat(ByteBuf body, List<String> dropped) {
  public TranslatedChat {
    dropped = List.copyOf(dropped);
  }
}
