package dev.tollgate.core.upstream.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.testkit.FullBacklog;
import dev.tollgate.core.upstream.ConnectProgress;
import dev.tollgate.core.upstream.SocketConnector;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events at a connection that were meant for an earlier one with the same file descriptor. */
class EarlyReadsTest {
  private static final int SECONDS_MAX = 20;

  /** What reaches the end of a pipeline, which would log it. */
  private static final class Ends extends ChannelInboundHandlerAdapter {
    private final List<Throwable> faults = new ArrayList<>();

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      faults.add(cause);
    }
  }

  /** A connector whose last channel is at hand. */
  private static final class Connecting implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final CompletableFuture<Channel> made = new CompletableFuture<>();
    private final Future<Channel> connection;
    private final Ends ends = new Ends();

    Connecting(int port, boolean tls) throws Exception {
      var connector =
          new SocketConnector(
              () -> {
                var channel = new NioSocketChannel();
                made.complete(channel);
                return channel;
              },
              DefaultAddressResolverGroup.INSTANCE,
              SslContextBuilder.forClient().build(),
              PooledByteBufAllocator.DEFAULT);
      var endpoint = new EndpointIdentity(tls, "127.0.0.1", port);
      connection =
          connector.connect(loop, endpoint, Duration.ofSeconds(SECONDS_MAX), new ConnectProgress());
    }

    /** Tells the channel of faults, and what of them reached the end. */
    List<Throwable> hear(Throwable... faults) throws Exception {
      Channel channel = made.get(SECONDS_MAX, TimeUnit.SECONDS);
      return loop.submit(
              () -> {
                channel.pipeline().addLast(ends);
                for (Throwable fault : faults) {
                  channel.pipeline().fireExceptionCaught(fault);
                }
                return ends.faults;
              })
          .get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      made.join().close().syncUninterruptibly();
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectionThatIsBeingMadeIsNotTroubled(boolean tls) throws Exception {
    try (var full = FullBacklog.fill();
        var connecting = new Connecting(full.port(), tls)) {
      assertThat(connecting.hear(new NotYetConnectedException())).isEmpty();
      assertThat(connecting.made.get().isOpen()).isTrue();
      assertThat(connecting.connection.isDone()).isFalse();
    }
  }

  @Test
  void otherExceptionsArePassedOn() throws Exception {
    try (var full = FullBacklog.fill();
        var connecting = new Connecting(full.port(), false)) {
      var fault = new IOException("another");
      assertThat(connecting.hear(new NotYetConnectedException(), fault)).containsExactly(fault);
    }
  }

  @Test
  void anEstablishedConnectionGetsTheException() throws Exception {
    try (var provider = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var connecting = new Connecting(provider.getLocalPort(), false)) {
      connecting.connection.get(SECONDS_MAX, TimeUnit.SECONDS);
      var fault = new NotYetConnectedException();
      assertThat(connecting.hear(fault)).containsExactly(fault);
    }
  }
}
