package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
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

/** Connector over TCP sockets, with TLS if the endpoint requires it (SNI and hostname check). */
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
  public Future<Channel> connect(EventLoop loop, EndpointIdentity endpoint, Duration timeout) {
    var to = InetSocketAddress.createUnresolved(endpoint.host(), endpoint.port());
    PeerCheck any = _ -> {};
    ChannelFuture connecting = bootstrap(loop, endpoint, endpoint.port(), timeout, any).connect(to);
    return open(loop, connecting, endpoint, any);
  }

  @Override
  public Future<Channel> connect(
      EventLoop loop, EndpointIdentity endpoint, InetAddress address, Duration timeout) {
    var to = new InetSocketAddress(address, endpoint.port());
    // TLS sessions are cached by host and port, and this port is used for nothing else.
    int session = freshSessions.incrementAndGet() & Integer.MAX_VALUE;
    PeerCheck check = channel -> requirePeer(channel, to);
    ChannelFuture connecting = bootstrap(loop, endpoint, session, timeout, check).connect(to);
    return open(loop, connecting, endpoint, check);
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

  private static Future<Channel> open(
      EventLoop loop, ChannelFuture connecting, EndpointIdentity endpoint, PeerCheck check) {
    Promise<Channel> promise = loop.newPromise();
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            promise.tryFailure(done.cause());
            return;
          }
          try {
            check.accept(connecting.channel());
          } catch (ConnectException refused) {
            promise.tryFailure(refused);
            return;
          }
          if (endpoint.tls()) {
            awaitHandshake(connecting.channel(), promise);
          } else {
            promise.trySuccess(connecting.channel());
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

  private Bootstrap bootstrap(
      EventLoop loop, EndpointIdentity endpoint, int session, Duration timeout, PeerCheck check) {
    return new Bootstrap()
        .group(loop)
        .channelFactory(channels)
        .resolver(resolver)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, timeout.toMillis()))
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
                if (endpoint.tls()) {
                  channel.pipeline().addLast("peer", new PeerHandler(check));
                  channel
                      .pipeline()
                      .addLast("tls", tlsHandler(channel, endpoint, session, timeout));
                  channel.pipeline().addLast("handshake", new HandshakeFaults());
                }
              }
            });
  }

  private static MaxMessagesRecvByteBufAllocator oneReadAtATime() {
    return new FixedRecvByteBufAllocator(READ_BYTES_MAX).maxMessagesPerRead(1);
  }

  private SslHandler tlsHandler(
      Channel channel, EndpointIdentity endpoint, int session, Duration timeout) {
    SslHandler handler = tls.newHandler(channel.alloc(), endpoint.host(), session);
    handler.setHandshakeTimeoutMillis(Math.max(1, timeout.toMillis()));
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
