package dev.tollgate.core.api;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Request body as sent to a provider, with what was dropped from it.
 *
 * @param contentType Content-Type of the body
 * @param dropped JSON paths of what the provider does not get as the client sent it
 */
public record UpstreamBody(List<ByteBuf> body, String contentType, List<String> dropped) {
  private static final String JSON = "application/json";

  /** Creates a JSON body. */
  public UpstreamBody(List<ByteBuf> body, List<String> dropped) {
    this(body, JSON, dropped);
  }

  /** Creates a JSON body from which nothing was dropped. */
  public static UpstreamBody whole(List<ByteBuf> body) {
    return new UpstreamBody(body, List.of());
  }
}
