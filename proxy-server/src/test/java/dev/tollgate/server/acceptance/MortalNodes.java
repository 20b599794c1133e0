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

/** Nodes on one database that are killed at random, and started again meanwhile. */
final class MortalNodes implements AutoCloseable {
  private static final CountDownLatch NEVER = new CountDownLatch(1);
  private static final int SECONDS_WITHOUT_ANY_MAX = 120;

  private final List<Place> places;
  private final List<String> jvmFlags;
  private final Map<Place, Binary> running = new ConcurrentHashMap<>();
  private final List<Future<?>> starts = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Where a node runs, and with which settings beside its file's. */
  record Place(Folder folder, List<String> sets) {}

  private MortalNodes(List<Place> places, List<String> jvmFlags) {
    this.places = places;
    this.jvmFlags = jvmFlags;
  }

  /** Starts the first, which makes the tables and prints the key, and then the others at once. */
  static MortalNodes start(List<Place> places, List<String> jvmFlags) throws Exception {
    var nodes = new MortalNodes(List.copyOf(places), jvmFlags);
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

  private void start(Place place) throws Exception {
    String[] sets = place.sets().toArray(String[]::new);
    running.put(place, Binary.start(place.folder(), jvmFlags, sets));
  }

  private void startMeanwhile(Place place) {
    starts.add(
        threads.submit(
            () -> {
              start(place);
              return place;
            }));
  }

  /** Waits until all of them run. */
  void awaitStarts() throws Exception {
    for (Future<?> start : starts) {
      var _ = start.get();
    }
    assertThat(running).hasSameSizeAs(places);
  }

  String key() throws InterruptedException {
    Binary first = running.get(places.getFirst());
    assertThat(first).isNotNull();
    return first.bootstrapKey();
  }

  /** Where one of these nodes listens, if any does. */
  Optional<Integer> port(int... numbers) {
    int from = ThreadLocalRandom.current().nextInt(numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      Binary node = running.get(places.get(numbers[(from + i) % numbers.length]));
      if (node != null) {
        return Optional.of(node.port());
      }
    }
    return Optional.empty();
  }

  /** Kills one of those that run, and has it started again. */
  void kill() throws InterruptedException {
    for (int waits = 0; running.isEmpty(); waits++) {
      assertThat(waits / 100).as("seconds without a node").isLessThan(SECONDS_WITHOUT_ANY_MAX);
      pause(10);
    }
    List<Place> there = List.copyOf(running.keySet());
    Place victim = there.get(ThreadLocalRandom.current().nextInt(there.size()));
    Binary node = running.remove(victim);
    assertThat(node).isNotNull();
    node.kill();
    node.close();
    startMeanwhile(victim);
  }

  static void pause(int millis) throws InterruptedException {
    assertThat(NEVER.await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }

  /** Ends them in order. */
  @Override
  public void close() {
    threads.close();
    for (Iterator<Binary> left = running.values().iterator(); left.hasNext(); left.remove()) {
      left.next().close();
    }
  }
}
