package dev.tollgate.core.egress;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;

/** Port for asynchronous DNS queries that resolve a host name to all its addresses. */
public interface DnsResolver {
  /**
   * Resolves all addresses of a name, of both families, exactly as written: no search list is
   * applied. The result arrives on {@code loop}; cancelling stops further queries. Never throws.
   */
  Future<List<InetAddress>> resolveAll(EventLoop loop, String name);
}
