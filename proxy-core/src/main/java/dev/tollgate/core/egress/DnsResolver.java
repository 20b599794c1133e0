package dev.tollgate.core.egress;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;

/** Port to DNS. */
public interface DnsResolver {
  /**
   * Asks for all addresses of a name, of both families, as it stands: no search list is tried. The
   * answer comes on {@code loop}; cancelled, nothing more is asked. Never throws.
   */
  Future<List<InetAddress>> resolveAll(EventLoop loop, String name);
}
