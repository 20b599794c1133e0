package dev.tollgate.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Order of sockets on a real loop that finds all bytes at once. */
class ClientPriorityOverSocketTest {
  private static final int PROVIDERS = 40;
  private static final int SECONDS_MAX = 20;

  record Sockets(
      String name,
      IoHandlerFactory handlers,
      Class<? extends ServerChannel> server,
      Supplier<Channel> outgoing) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Sockets> sockets() {
    var nio =
        new Sockets(
            "nio", NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel::new);
    return Epoll.isAvailable()
        ? Stream.of(
            nio,
            new Sockets(
                "epoll",
                EpollIoHandler.newFactory(),
                EpollServerSocketChannel.class,
                EpollSocketChannel::new))
        : Stream.of(nio);
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void whatAClientSendsIsHandledBeforeWhatProvidersSentEarlier(Sockets sockets) throws Exception {
    var order = new LinkedBlockingQueue<String>();
    try (var group =
            new MultiThreadIoEventLoopGroup(1, ClientPriorityIoHandler.on(sockets.handlers()));
        var origin = new ServerSocket(0, PROVIDERS, InetAddress.getLoopbackAddress())) {
      EventLoop loop = group.next();
      List<Socket> providers = new ArrayList<>();
      List<Channel> channels = new ArrayList<>();
      for (int n = 0; n < PROVIDERS; n++) {
        Channel channel = connect(sockets, loop, origin);
        channels.add(channel);
        providers.add(origin.accept());
        channel.pipeline().addLast(new Received("provider", order));
        loop.submit(channel::read).sync();
      }
      try (Socket client = client(sockets, loop, order)) {
        client.getOutputStream().write('?');
        assertThat(order.poll(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo("client");
        for (int look = 0; look < 3; look++) { // or epoll has the client at hand from before
          loop.submit(() -> {}).sync();
        }

        var busy = new CountDownLatch(1);
        var isBusy = new CountDownLatch(1);
        loop.execute(
            () -> {
              isBusy.countDown();
              awaitUninterrupted(busy);
            });
        isBusy.await();
        for (Socket provider : providers) {
          provider.getOutputStream().write('.');
        }
        client.getOutputStream().write('?');
        busy.countDown();

        assertThat(order.poll(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo("client");
        for (int n = 0; n < PROVIDERS; n++) {
          assertThat(order.poll(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo("provider");
        }
      } finally {
        for (Socket provider : providers) {
          provider.close();
        }
        for (Channel channel : channels) {
          channel.close().sync();
        }
      }
    }
  }

  private static Channel connect(Sockets sockets, EventLoop loop, ServerSocket origin)
      throws Exception {
    var connector =
        new SocketConnector(
            sockets.outgoing()::get,
            DefaultAddressResolverGroup.INSTANCE,
            SslContextBuilder.forClient().build(),
            PooledByteBufAllocator.DEFAULT);
    var endpoint = new EndpointIdentity(false, "127.0.0.1", origin.getLocalPort());
    return connector
        .connect(loop, endpoint, Duration.ofSeconds(SECONDS_MAX), new ConnectProgress())
        .sync()
        .getNow();
  }

  private static Socket client(Sockets sockets, EventLoop loop, LinkedBlockingQueue<String> order)
      throws Exception {
    Channel listener =
        new ServerBootstrap()
            .group(loop)
            .channel(sockets.server())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel accepted) {
                    accepted.pipeline().addLast(new Received("client", order));
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    return new Socket(
        InetAddress.getLoopbackAddress(), ((InetSocketAddress) listener.localAddress()).getPort());
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Received extends ChannelInboundHandlerAdapter {
    private final String who;
    private final LinkedBlockingQueue<String> order;

    Received(String who, LinkedBlockingQueue<String> order) {
      this.who = who;
      this.order = order;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ((ByteBuf) message).release();
      order.add(who);
    }
  }
}
