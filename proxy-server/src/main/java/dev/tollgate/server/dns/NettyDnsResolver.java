package dev.tollgate.server.dns;

import dev.tollgate.core.egress.DnsResolver;
import dev.tollgate.core.pipeline.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.resolver.DefaultHostsFileEntriesResolver;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverChannelStrategy;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * DNS resolver on Netty, without a cache, for host names in URLs that clients supply. Such names
 * must not fill a cache, and their TTL is not trusted. The hosts file has precedence, as usual.
 */
public final class NettyDnsResolver implements DnsResolver, AutoCloseable {
  private static final int QUERY_MILLIS_MAX = 2_000;

  private final Transport transport;
  private final DefaultHostsFileEntriesResolver hostsFile = new DefaultHostsFileEntriesResolver();
  private final Map<EventLoop, DnsNameResolver> resolvers = new ConcurrentHashMap<>();

  public NettyDnsResolver(Transport transport) {
    this.transport = transport;
  }

  /**
   * Returns a builder whose resolvers open a socket for each query and repeat truncated answers
   * over TCP: the port is as hard to guess as the query's id (RFC 5452, section 9.2).
   */
  public static DnsNameResolverBuilder builder(Transport transport) {
    return new DnsNameResolverBuilder()
        .datagramChannelType(
            switch (transport) {
              case EPOLL -> EpollDatagramChannel.class;
              case NIO -> NioDatagramChannel.class;
            })
        .datagramChannelStrategy(DnsNameResolverChannelStrategy.ChannelPerResolution)
        .socketChannelType(transport.socketChannel());
  }

  @Override
  public Future<List<InetAddress>> resolveAll(EventLoop loop, String name) {
    List<InetAddress> listed = hostsFile.addresses(name, ResolvedAddressTypes.IPV4_PREFERRED);
    if (listed != null && !listed.isEmpty()) {
      return loop.newSucceededFuture(listed);
    }
    try {
      // The final dot makes the name absolute: no search domain is appended.
      return resolvers.computeIfAbsent(loop, this::resolver).resolveAll(name + ".");
    } catch (IllegalStateException noSocket) {
      return loop.newFailedFuture(noSocket);
    }
  }

  private DnsNameResolver resolver(EventLoop loop) {
    return builder(transport)
        .eventLoop(loop)
        .queryTimeoutMillis(QUERY_MILLIS_MAX)
        .resolvedAddressTypes(ResolvedAddressTypes.IPV4_PREFERRED)
        .completeOncePreferredResolved(false)
        .hostsFileEntriesResolver((name, types) -> null)
        .resolveCache(NoopDnsCache.INSTANCE)
        .cnameCache(NoopDnsCnameCache.INSTANCE)
        .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
        .build();
  }

  @Override
  public void close() {
    resolvers.values().forEach(DnsNameResolver::close);
  }
}
