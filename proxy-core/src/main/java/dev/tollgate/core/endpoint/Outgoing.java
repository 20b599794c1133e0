package dev.tollgate.core.endpoint;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * What a provider is sent of a request.
 *
 * @param dropped JSON paths of what it does not get, because it has nothing like it
 */
public record Outgoing(List<ByteBuf> body, List<String> dropped) {
  /** All of it. */
  static Outgoing whole(List<ByteBuf> body) {
    return new Outgoing(body, List.of());
  }
}
