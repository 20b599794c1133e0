package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.ProviderTimeouts;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.resolver.AddressResolverGroup;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pool over real sockets on one loop, used from the test's thread. */
final class SocketPool implements AutoCloseable {
  private static final int SECONDS_MAX = 20;

  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  final Upstreams upstreams;

  /** Transport of sockets. */
  enum Sockets {
    NIO,
    EPOLL
  }

  /** Returns the transports of this machine. */
  static Stream<Sockets> available() {
    return Epoll.isAvailable() ? Stream.of(Sockets.values()) : Stream.of(Sockets.NIO);
  }

  SocketPool(Sockets sockets, AddressResolverGroup<InetSocketAddress> names, SslContext tls) {
    group =
        new MultiThreadIoEventLoopGroup(
            1,
            switch (sockets) {
              case NIO -> NioIoHandler.newFactory();
              case EPOLL -> EpollIoHandler.newFactory();
            });
    loop = group.next();
    upstreams =
        new Upstreams(
            new SocketConnector(
                new ReflectiveChannelFactory<>(
                    switch (sockets) {
                      case NIO -> NioSocketChannel.class;
                      case EPOLL -> EpollSocketChannel.class;
                    }),
                names,
                tls,
                PooledByteBufAllocator.DEFAULT));
  }

  static Provider provider(boolean tls, String host, int port, Duration connect) {
    return provider(new EndpointIdentity(tls, host, port), connect);
  }

  static Provider provider(EndpointIdentity endpoint, Duration connect) {
    Provider p = TestCatalog.provider("alpha");
    ProviderTimeouts c = p.timeouts();
    return new Provider(
        p.id(),
        p.dialect(),
        endpoint,
        p.basePath(),
        p.credentials(),
        p.headers(),
        new ProviderTimeouts(connect, c.responseHeader(), c.firstToken(), c.idle(), c.total()),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect(),
        p.eventBytesMax());
  }

  AcquisitionResult acquire(Provider provider) throws Exception {
    CompletableFuture<AcquisitionResult> outcome = new CompletableFuture<>();
    loop.execute(() -> upstreams.on(loop).acquire(provider, false, outcome::complete));
    return outcome.get(SECONDS_MAX, TimeUnit.SECONDS);
  }

  Lease lease(Provider provider) throws Exception {
    if (acquire(provider) instanceof AcquisitionResult.Leased leased) {
      return leased.lease();
    }
    throw new AssertionError("no lease of " + provider.endpoint());
  }

  /** Sends a request and reads its reply to whatever end. */
  Exchanged exchange(Lease lease, String request) {
    Exchanged exchanged = new Exchanged(lease);
    loop.execute(() -> exchanged.begin(request));
    return exchanged;
  }

  void cancel(Lease lease) {
    loop.execute(lease::end);
  }

  /** Waits until the loop has run all earlier tasks. */
  void settle() throws Exception {
    loop.submit(() -> {}).get(SECONDS_MAX, TimeUnit.SECONDS);
  }

  /** One request over one lease. */
  static final class Exchanged implements UpstreamListener {
    private final Lease lease;
    private final CompletableFuture<Object> end = new CompletableFuture<>();
    private final StringBuilder body = new StringBuilder();
    private @Nullable ResponseHead head;

    private Exchanged(Lease lease) {
      this.lease = lease;
    }

    private void begin(String request) {
      ByteBuf bytes = PooledByteBufAllocator.DEFAULT.buffer();
      bytes.writeCharSequence(request, StandardCharsets.ISO_8859_1);
      lease.send(List.of(bytes), this);
      lease.read();
    }

    /** The body, or the {@link ConnectionFailure}. */
    Object end() throws Exception {
      return end.get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    @Override
    public void head(ResponseHead received) {
      head = received;
    }

    @Override
    public void body(ByteBuf bytes) {
      body.append(bytes.toString(StandardCharsets.ISO_8859_1));
      bytes.release();
    }

    @Override
    public void readComplete() {
      lease.read();
    }

    @Override
    public void bodyEnd() {
      lease.end();
      end.complete((head == null ? 0 : head.status()) + " " + body);
    }

    @Override
    public void connectionFailed(ConnectionFailure breakage) {
      lease.end();
      end.complete(breakage);
    }
  }

  @Override
  public void close() {
    upstreams.close();
    loop.submit(() -> {}).awaitUninterruptibly(SECONDS_MAX, TimeUnit.SECONDS);
    group
        .shutdownGracefully(0, 5, TimeUnit.SECONDS)
        .awaitUninterruptibly(SECONDS_MAX, TimeUnit.SECONDS);
  }
}
