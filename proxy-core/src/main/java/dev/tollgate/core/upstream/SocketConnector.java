package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import dev.tollgate.core.upstream.loop.EarlyReads;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Connector over TCP sockets, through the endpoint's proxy if it has one, and with TLS if the
 * endpoint requires it (SNI and hostname check).
 */
public final class SocketConnector implements Connector, AddressConnector {
  // One read must not bring more than a stalled client may cost
  // (docs/decisions/operations.md#memory-per-connection).
  private static final int READ_BYTES_MAX = 16 * 1024;
  private static final int WRITE_LOW_BYTES = 64 * 1024;
  private static final int WRITE_HIGH_BYTES = 128 * 1024;

  private final ChannelFactory<? extends Channel> channels;
  private final AddressResolverGroup<InetSocketAddress> resolver;
  private final SslContext tls;
  private final ByteBufAllocator allocator;
  private final AtomicInteger freshSessions = new AtomicInteger();

  public SocketConnector(
      ChannelFactory<? extends Channel> channels,
      AddressResolverGroup<InetSocketAddress> resolver,
      SslContext tls,
      ByteBufAllocator allocator) {
    this.channels = channels;
    this.resolver = resolver;
    this.tls = tls;
    this.allocator = allocator;
  }

  @Override
  public Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, Duration timeout, ConnectProgress progress) {
    HttpProxy proxy = endpoint.proxy();
    PeerCheck any = _ -> {};
    if (proxy == null) {
      var to = InetSocketAddress.createUnresolved(endpoint.host(), endpoint.port());
      var setup = new ChannelSetup(endpoint, endpoint.port(), timeout, any, null);
      return open(loop, bootstrap(loop, setup).connect(to), setup, progress);
    }
    progress.reached(ConnectFault.PROXY_UNREACHABLE);
    var to = InetSocketAddress.createUnresolved(proxy.host(), proxy.port());
    var tunnel = new ProxyTunnel(endpoint, proxy, loop.newPromise());
    var setup = new ChannelSetup(endpoint, endpoint.port(), timeout, any, tunnel);
    return open(loop, bootstrap(loop, setup).connect(to), setup, progress);
  }

  @Override
  public Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, InetAddress address, Duration timeout) {
    var to = new InetSocketAddress(address, endpoint.port());
    // TLS sessions are cached by host and port, and this port is used for nothing else.
    int session = freshSessions.incrementAndGet() & Integer.MAX_VALUE;
    PeerCheck check = channel -> requirePeer(channel, to);
    var setup = new ChannelSetup(endpoint, session, timeout, check, null);
    return open(loop, bootstrap(loop, setup).connect(to), setup, new ConnectProgress());
  }

  private static void requirePeer(Channel channel, InetSocketAddress asked)
      throws ConnectException {
    if (!asked.equals(channel.remoteAddress())) {
      throw new ConnectException("connected to another address than requested");
    }
  }

  /** Check of a connection before anything is sent on it. */
  private interface PeerCheck {
    void accept(Channel channel) throws ConnectException;
  }

  /**
   * Handlers of a new channel.
   *
   * @param session port under which TLS sessions are cached
   * @param tunnel asks the endpoint's proxy; null if it has none
   */
  private record ChannelSetup(
      EndpointIdentity endpoint,
      int session,
      Duration timeout,
      PeerCheck check,
      @Nullable ProxyTunnel tunnel) {}

  private static Future<Channel> open(
      EventLoop loop, ChannelFuture connecting, ChannelSetup setup, ConnectProgress progress) {
    Promise<Channel> promise = loop.newPromise();
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            promise.tryFailure(done.cause());
            return;
          }
          try {
            setup.check().accept(connecting.channel());
          } catch (ConnectException refused) {
            promise.tryFailure(refused);
            return;
          }
          if (setup.tunnel() == null) {
            connected(connecting.channel(), setup, promise, progress);
          } else {
            progress.reached(ConnectFault.PROXY_TIMEOUT);
            awaitTunnel(connecting.channel(), setup.tunnel(), setup, promise, progress);
          }
        });
    promise.addListener(
        done -> {
          if (!done.isSuccess()) {
            connecting.cancel(false);
            connecting.channel().close();
          }
        });
    return promise;
  }

  private static void awaitTunnel(
      Channel channel,
      ProxyTunnel tunnel,
      ChannelSetup setup,
      Promise<Channel> promise,
      ConnectProgress progress) {
    tunnel
        .open()
        .addListener(
            done -> {
              if (done.isSuccess()) {
                connected(channel, setup, promise, progress);
              } else {
                promise.tryFailure(done.cause());
              }
            });
  }

  /** Continues when bytes reach the endpoint. */
  private static void connected(
      Channel channel, ChannelSetup setup, Promise<Channel> promise, ConnectProgress progress) {
    if (setup.endpoint().tls()) {
      progress.reached(ConnectFault.TLS);
      awaitHandshake(channel, promise);
    } else {
      promise.trySuccess(channel);
    }
  }

  /**
   * Keeps TLS from beginning with a wrong peer: a connect to this machine may be complete before a
   * listener of its future can be added.
   */
  private static final class PeerHandler extends ChannelInboundHandlerAdapter {
    private final PeerCheck check;

    PeerHandler(PeerCheck check) {
      this.check = check;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      try {
        check.accept(ctx.channel());
      } catch (ConnectException refused) {
        ctx.close();
        return;
      }
      ctx.fireChannelActive();
      ctx.pipeline().remove(this);
    }
  }

  private Bootstrap bootstrap(EventLoop loop, ChannelSetup setup) {
    return new Bootstrap()
        .group(loop)
        .channelFactory(channels)
        .resolver(resolver)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, setup.timeout().toMillis()))
        .option(ChannelOption.ALLOCATOR, allocator)
        .option(ChannelOption.RECVBUF_ALLOCATOR, oneReadAtATime())
        .option(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(WRITE_LOW_BYTES, WRITE_HIGH_BYTES))
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                ClientPriorityIoHandler.deprioritize(channel);
                channel.pipeline().addLast("early", EarlyReads.INSTANCE);
                addHandlers(channel, setup);
              }
            });
  }

  private void addHandlers(Channel channel, ChannelSetup setup) {
    if (setup.tunnel() != null) {
      setup.tunnel().install(channel.pipeline());
    }
    if (setup.endpoint().tls()) {
      channel.pipeline().addLast("peer", new PeerHandler(setup.check()));
      channel.pipeline().addLast("tls", tlsHandler(channel, setup));
      channel.pipeline().addLast("handshake", new HandshakeFaults());
    }
  }

  private static MaxMessagesRecvByteBufAllocator oneReadAtATime() {
    return new FixedRecvByteBufAllocator(READ_BYTES_MAX).maxMessagesPerRead(1);
  }

  private SslHandler tlsHandler(Channel channel, ChannelSetup setup) {
    EndpointTls own = setup.endpoint().settings();
    SslContext context = own == null ? tls : own.context();
    SslHandler handler =
        context.newHandler(channel.alloc(), setup.endpoint().tlsName(), setup.session());
    handler.setHandshakeTimeoutMillis(Math.max(1, setup.timeout().toMillis()));
    // The name is verified, whatever the context's settings are.
    SSLParameters parameters = handler.engine().getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    handler.engine().setSSLParameters(parameters);
    return handler;
  }

  private static void awaitHandshake(Channel channel, Promise<Channel> promise) {
    channel
        .pipeline()
        .get(SslHandler.class)
        .handshakeFuture()
        .addListener(
            done -> {
              if (done.isSuccess()) {
                promise.trySuccess(channel);
              } else {
                promise.tryFailure(done.cause());
              }
            });
  }
}
