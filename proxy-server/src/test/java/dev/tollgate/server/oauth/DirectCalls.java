package dev.tollgate.server.oauth;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.upstream.CollectedCalls;
import dev.tollgate.core.upstream.SocketConnector;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** Calls of token endpoints over sockets, without a proxy. */
final class DirectCalls implements AutoCloseable {
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Upstreams upstreams =
      new Upstreams(
          new SocketConnector(
              NioSocketChannel::new,
              DefaultAddressResolverGroup.INSTANCE,
              tls(),
              PooledByteBufAllocator.DEFAULT));

  private static SslContext tls() {
    try {
      return SslContextBuilder.forClient().sslProvider(SslProvider.JDK).build();
    } catch (SSLException e) {
      throw new AssertionError(e);
    }
  }

  TokenClient tokens(Duration timeMax) {
    return new TokenClient(
        new CollectedCalls(upstreams, group::next),
        uri -> new EndpointIdentity(false, uri.getHost(), uri.getPort()),
        timeMax);
  }

  @Override
  public void close() {
    upstreams.close();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
  }
}
