package dev.tollgate.server.ops;

import dev.tollgate.core.net.AddressBlock;
import dev.tollgate.core.pipeline.EvictableConnections;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Open connections of the admin listener, bounded in all and per address. At a bound the connection
 * that waits longest for its client is closed for the new one, so that a probe is answered whatever
 * other connections do. One whose request is being answered is never chosen.
 */
final class AdminConnections {
  static final int MAX = 128;

  /** One address cannot close the connections of others. */
  private static final int PER_ADDRESS_MAX = 32;

  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final EvictableConnections idle = new EvictableConnections(PER_ADDRESS_MAX);
  private final LongAdder evicted = new LongAdder();

  /** Counts a new connection; false if there is no place for it. */
  boolean tryAdd(Channel connection) {
    if (open.size() >= MAX && !evict(idle.evict())) {
      return false;
    }
    return open.add(connection);
  }

  /** Lets a connection give way to others, as the one that waits for its client since now. */
  void awaitsClient(Channel connection) {
    var _ = evict(idle.add(connection, AddressBlock.of(address(connection))));
  }

  /** Keeps a connection that has a complete request, or is closed. */
  void awaitsNoClient(Channel connection) {
    idle.remove(connection);
  }

  private boolean evict(@Nullable Channel connection) {
    if (connection == null) {
      return false;
    }
    evicted.increment();
    var _ = connection.close();
    return true;
  }

  private static InetAddress address(Channel connection) {
    return connection.remoteAddress() instanceof InetSocketAddress peer
        ? peer.getAddress()
        : NetUtil.LOCALHOST; // a channel without a network
  }

  int count() {
    return open.size();
  }

  /** Returns the number of connections closed for others so far. */
  long evicted() {
    return evicted.sum();
  }

  void close() {
    var _ = open.close();
  }
}
