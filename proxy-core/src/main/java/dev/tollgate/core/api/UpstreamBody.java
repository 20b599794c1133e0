package dev.tollgate.core.api;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * What a provider is sent of a request.
 *
 * @param contentType of the body
 * @param dropped JSON paths of what it does not get, because it has nothing like it
 */
public record UpstreamBody(List<ByteBuf> body, String contentType, List<String> dropped) {
  private static final String JSON = "application/json";

  /** A body in JSON. */
  public UpstreamBody(List<ByteBuf> body, List<String> dropped) {
    this(body, JSON, dropped);
  }

  /** All of it. */
  public static UpstreamBody whole(List<ByteBuf> body) {
    return new UpstreamBody(body, List.of());
  }
}
