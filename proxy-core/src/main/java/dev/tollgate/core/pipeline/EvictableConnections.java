package dev.tollgate.core.pipeline;

import dev.tollgate.core.net.AddressBlock;
import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Connections that may be closed to make room for new ones, in the order of the time for which they
 * have been silent, in all and per client address. It holds open connections only, so it is as
 * large as their number. Shared by all loops: each call holds its lock for a few map operations. It
 * closes nothing: a connection that it returns is no longer in it, and its own loop closes it.
 */
public final class EvictableConnections {
  private final int perAddressMax;
  private final SequencedMap<Channel, AddressBlock> bySilence = new LinkedHashMap<>();
  private final Map<AddressBlock, SequencedSet<Channel>> byAddress = new HashMap<>();

  /**
   * @param perAddressMax largest number of connections of one address; 0 is no bound
   */
  public EvictableConnections(int perAddressMax) {
    this.perAddressMax = perAddressMax;
  }

  /**
   * Adds a connection that is not in yet, as the one that was active last. Returns the connection
   * to close if its address had as many as it may: the one of this address that has been silent
   * longest.
   */
  public synchronized @Nullable Channel add(Channel connection, AddressBlock address) {
    SequencedSet<Channel> known = byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>(2));
    Channel evicted = null;
    if (perAddressMax > 0 && known.size() >= perAddressMax) {
      evicted = known.removeFirst();
      bySilence.remove(evicted);
    }
    known.addLast(connection);
    bySilence.putLast(connection, address);
    return evicted;
  }

  /** Makes a connection the one that was active last; without effect if it is not in. */
  public synchronized void active(Channel connection) {
    AddressBlock address = bySilence.get(connection);
    SequencedSet<Channel> known = address == null ? null : byAddress.get(address);
    if (address != null && known != null) {
      bySilence.putLast(connection, address);
      known.addLast(connection);
    }
  }

  /** Removes a connection that is closed or may no longer be; without effect if it is not in. */
  public synchronized void remove(Channel connection) {
    AddressBlock address = bySilence.remove(connection);
    SequencedSet<Channel> known = address == null ? null : byAddress.get(address);
    if (address != null && known != null && known.remove(connection) && known.isEmpty()) {
      byAddress.remove(address);
    }
  }

  /** Removes and returns the connection that has been silent longest; null if none is in. */
  public synchronized @Nullable Channel evict() {
    if (bySilence.isEmpty()) {
      return null;
    }
    Channel silent = bySilence.firstEntry().getKey();
    remove(silent);
    return silent;
  }

  /** Returns the number of connections. */
  public synchronized int count() {
    return bySilence.size();
  }
}
