package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;

/**
 * Port that opens connections to provider endpoints; tests replace it to use their own channels.
 */
public interface Connector {
  /**
   * Opens a connection whose channel is registered with {@code loop}, has autoRead off and, with
   * TLS, has finished its handshake with the host's name verified. Name resolution and the
   * endpoint's proxy count toward {@code timeout}.
   *
   * @param progress receives the steps that are reached
   */
  Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, Duration timeout, ConnectProgress progress);
}
