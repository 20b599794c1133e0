package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.net.AddressBlock;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The order in which connections give way. */
final class EvictableConnectionsTest {
  private static final AddressBlock HERE = new AddressBlock(AddressBlock.Family.IPV4, 1);
  private static final AddressBlock THERE = new AddressBlock(AddressBlock.Family.IPV4, 2);

  @Test
  void anAddressLosesTheConnectionThatWasSilentLongest() {
    EvictableConnections connections = new EvictableConnections(2);
    Channel first = new EmbeddedChannel();
    Channel second = new EmbeddedChannel();
    Channel third = new EmbeddedChannel();
    assertThat(connections.add(new EmbeddedChannel(), THERE)).isNull();
    assertThat(connections.add(first, HERE)).isNull();
    assertThat(connections.add(second, HERE)).isNull();
    connections.active(first);
    assertThat(connections.add(third, HERE)).isSameAs(second);
    connections.remove(first);
    assertThat(connections.add(new EmbeddedChannel(), HERE)).isNull();
    assertThat(connections.count()).isEqualTo(3);
  }

  @Test
  void inAllItIsTheOneThatWasSilentLongestWhateverItsAddress() {
    EvictableConnections connections = new EvictableConnections(0);
    List<Channel> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Channel channel = new EmbeddedChannel();
      all.add(channel);
      assertThat(connections.add(channel, i % 2 == 0 ? HERE : THERE)).isNull();
    }
    connections.active(all.get(0));
    connections.remove(all.get(1));
    connections.active(all.get(1)); // not in any more
    assertThat(connections.evict()).isSameAs(all.get(2));
    assertThat(connections.evict()).isSameAs(all.get(3));
    assertThat(connections.count()).isEqualTo(3);
  }

  @Test
  void whoHasNoneLosesNone() {
    EvictableConnections connections = new EvictableConnections(1);
    assertThat(connections.evict()).isNull();
    connections.remove(new EmbeddedChannel());
    assertThat(connections.count()).isZero();
  }

  /** Loops that add and remove at once: each connection is evicted or removed, never both. */
  @Test
  void loopsAtOnceLoseNoConnectionAndEvictNoneTwice() throws Exception {
    EvictableConnections connections = new EvictableConnections(8);
    Set<Channel> evicted = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    List<Thread> loops = new ArrayList<>();
    for (int loop = 0; loop < 3; loop++) {
      loops.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 2_000; i++) {
                      Channel mine = new EmbeddedChannel();
                      Channel out = connections.add(mine, i % 3 == 0 ? HERE : THERE);
                      connections.active(mine);
                      if (out != null && !evicted.add(out)) {
                        twice.incrementAndGet();
                      }
                      if (i % 2 == 0) {
                        connections.remove(mine);
                      }
                    }
                  }));
    }
    for (Thread loop : loops) {
      loop.join();
    }
    assertThat(twice).hasValue(0);
    assertThat(connections.count()).isBetween(1, 16);
    while (connections.evict() != null) {
      // empties it
    }
    assertThat(connections.count()).isZero();
    assertThat(connections.add(new EmbeddedChannel(), HERE)).isNull();
  }
}
