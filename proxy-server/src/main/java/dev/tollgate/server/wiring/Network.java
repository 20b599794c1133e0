package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.pipeline.Transport;
import dev.tollgate.core.upstream.AddressConnector;
import dev.tollgate.core.upstream.Connector;
import dev.tollgate.core.upstream.SocketConnector;
import dev.tollgate.server.dns.NettyDnsResolver;
import dev.tollgate.server.settings.ListenerSettings;
import dev.tollgate.server.settings.ServerSettings;
import dev.tollgate.server.warmup.Warmup;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Event loops, Netty transport, buffer allocator and TLS that the listener and upstream connections
 * share.
 */
public final class Network implements AutoCloseable {
  private static final List<String> CIPHERS =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  private static final int QUIET_MILLIS = 0;
  private static final int END_MILLIS_MAX = 2_000;

  private final Transport transport;
  private final EventLoopGroup loops;
  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final DnsAddressResolverGroup resolver;
  private final NettyDnsResolver clientNames;
  private final List<SslContext> connectorTls = new ArrayList<>(2);

  Network(ServerSettings settings) throws StartException {
    transport = transport(settings.transport());
    loops =
        new MultiThreadIoEventLoopGroup(
            settings.eventLoops().countFor(Runtime.getRuntime().availableProcessors()),
            new DefaultThreadFactory("loop", true),
            transport.ioHandlers());
    resolver = new DnsAddressResolverGroup(NettyDnsResolver.builder(transport));
    clientNames = new NettyDnsResolver(transport);
  }

  public EventLoopGroup loops() {
    return loops;
  }

  public Transport transport() {
    return transport;
  }

  public PooledByteBufAllocator allocator() {
    return allocator;
  }

  /** Returns a connector to providers; it checks certificates and host names. */
  Connector connector() throws StartException {
    try {
      return connector(strictClient().build());
    } catch (SSLException e) {
      throw new StartException("TLS is not available: " + e.getMessage(), e);
    }
  }

  private SocketConnector connector(SslContext tls) {
    connectorTls.add(tls);
    return new SocketConnector(
        new ReflectiveChannelFactory<>(transport.socketChannel()), resolver, tls, allocator);
  }

  /** Lets a mock provider answer some requests, so that the code is compiled before the first. */
  void warmUp(Connector connector, Offload bodies) {
    Warmup.run(new Warmup.Resources(loops, transport, allocator, connector, bodies));
  }

  /** Returns the resolver of host names that clients supply. */
  NettyDnsResolver clientNames() {
    return clientNames;
  }

  /**
   * Returns a connector to addresses that URLs of clients resolve to; TLS sessions are not resumed.
   */
  AddressConnector addressConnector() throws StartException {
    try {
      return connector(strictClient().sessionCacheSize(1).build()); // 0 would mean unbounded
    } catch (SSLException e) {
      throw new StartException("TLS is not available: " + e.getMessage(), e);
    }
  }

  /**
   * Reads certificate and key of a listener; null if it has no TLS.
   *
   * @param section their place in the configuration
   */
  static @Nullable SslContext serverTls(String section, ListenerSettings.@Nullable Tls tls)
      throws StartException {
    if (tls == null) {
      return null;
    }
    try {
      return strict(
              SslContextBuilder.forServer(tls.certificate().toFile(), tls.privateKey().toFile()))
          .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new StartException(section + " cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    resolver.close();
    clientNames.close();
    loops
        .shutdownGracefully(QUIET_MILLIS, END_MILLIS_MAX, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly();
    connectorTls.forEach(ReferenceCountUtil::release);
  }

  /** Returns a builder of contexts that check certificates and host names. */
  static SslContextBuilder strictClient() {
    return strict(SslContextBuilder.forClient()).endpointIdentificationAlgorithm("HTTPS");
  }

  /** Allows only key exchanges with forward secrecy and authenticated encryption, on both sides. */
  private static SslContextBuilder strict(SslContextBuilder builder) {
    return builder
        .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
        .protocols("TLSv1.3", "TLSv1.2")
        .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
  }

  private static Transport transport(ServerSettings.Transport wanted) throws StartException {
    Transport transport =
        switch (wanted) {
          case AUTO -> Transport.auto();
          case EPOLL -> Transport.EPOLL;
          case NIO -> Transport.NIO;
        };
    if (!transport.isAvailable()) {
      throw new StartException("server.transport: this machine has no epoll; use auto or nio");
    }
    return transport;
  }
}
