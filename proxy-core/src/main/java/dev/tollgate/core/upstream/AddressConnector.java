package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.time.Duration;

/**
 * Port that opens a connection to an IP address that was checked before, without name resolution.
 */
public interface AddressConnector {
  /**
   * Opens a connection as {@link Connector#connect} does, but to this address of the endpoint's
   * host and to no other, and without a TLS session of an earlier connection.
   */
  Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, InetAddress address, Duration timeout);
}
