package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Nodes on one database that are killed at random and started again. */
final class CrashingNodes implements AutoCloseable {
  private static final CountDownLatch NEVER = new CountDownLatch(1);
  private static final int SECONDS_WITHOUT_ANY_MAX = 120;

  private final List<NodeSpec> places;
  private final List<String> jvmFlags;
  private final Map<NodeSpec, GatewayProcess> running = new ConcurrentHashMap<>();
  private final List<Future<?>> starts = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Folder of a node, and its settings besides those of the file. */
  record NodeSpec(NodeFolder folder, List<String> sets) {}

  private CrashingNodes(List<NodeSpec> places, List<String> jvmFlags) {
    this.places = places;
    this.jvmFlags = jvmFlags;
  }

  /**
   * Starts the first node, which migrates the schema and prints the key, and then the others at
   * once.
   */
  static CrashingNodes start(List<NodeSpec> places, List<String> jvmFlags) throws Exception {
    var nodes = new CrashingNodes(List.copyOf(places), jvmFlags);
    try {
      nodes.start(places.getFirst());
      places.stream().skip(1).forEach(nodes::startMeanwhile);
      nodes.awaitStarts();
      return nodes;
    } catch (Exception | AssertionError e) {
      nodes.close();
      throw e;
    }
  }

  private void start(NodeSpec place) throws Exception {
    String[] sets = place.sets().toArray(String[]::new);
    running.put(place, GatewayProcess.start(place.folder(), jvmFlags, sets));
  }

  private void startMeanwhile(NodeSpec place) {
    starts.add(
        threads.submit(
            () -> {
              start(place);
              return place;
            }));
  }

  /** Waits until all nodes run. */
  void awaitStarts() throws Exception {
    for (Future<?> start : starts) {
      var _ = start.get();
    }
    assertThat(running).hasSameSizeAs(places);
  }

  String key() throws InterruptedException {
    GatewayProcess first = running.get(places.getFirst());
    assertThat(first).isNotNull();
    return first.bootstrapKey();
  }

  /** Returns the address of a node, if it runs. */
  Optional<Integer> port(int... numbers) {
    int from = ThreadLocalRandom.current().nextInt(numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      GatewayProcess node = running.get(places.get(numbers[(from + i) % numbers.length]));
      if (node != null) {
        return Optional.of(node.port());
      }
    }
    return Optional.empty();
  }

  /** Kills a running node, and starts it again. */
  void kill() throws InterruptedException {
    for (int waits = 0; running.isEmpty(); waits++) {
      assertThat(waits / 100).as("seconds without a node").isLessThan(SECONDS_WITHOUT_ANY_MAX);
      pause(10);
    }
    List<NodeSpec> there = List.copyOf(running.keySet());
    NodeSpec victim = there.get(ThreadLocalRandom.current().nextInt(there.size()));
    GatewayProcess node = running.remove(victim);
    assertThat(node).isNotNull();
    node.kill();
    node.close();
    startMeanwhile(victim);
  }

  static void pause(int millis) throws InterruptedException {
    assertThat(NEVER.await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }

  /** Stops the nodes in order. */
  @Override
  public void close() {
    threads.close();
    for (Iterator<GatewayProcess> left = running.values().iterator();
        left.hasNext();
        left.remove()) {
      left.next().close();
    }
  }
}
