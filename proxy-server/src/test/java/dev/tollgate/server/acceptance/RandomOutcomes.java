package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Requests of a key with a concurrency limit of one. Each is sent until it is admitted, and then
 * ends in a random way: served, refused or cut by its provider, timed out, disconnected by its
 * client, or with the SIGKILL of its node, which is replaced.
 */
final class RandomOutcomes implements AutoCloseable {
  private static final int CLIENTS = 3;
  private static final Duration LET_IN = Duration.ofMinutes(1);
  private static final List<End> OFTEN =
      Arrays.stream(End.values()).filter(end -> end != End.BROKEN && end != End.KILLED).toList();

  /** A request whose provider fails waits before it is sent again. */
  private static final int RARELY = 25;

  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private final List<GatewayProcess> others;
  private final Supplier<GatewayProcess> start;
  private final String authorization;
  private final long seed;
  private final ReadWriteLock life = new ReentrantReadWriteLock(true);
  private final Map<End, Integer> seen = new EnumMap<>(End.class);
  private volatile GatewayProcess mortal;
  private volatile boolean isStarting;
  private long killedNanos;
  private Duration longestBlocked = Duration.ZERO;
  private Duration took = Duration.ZERO;

  /** End of a request, and the expected result for a client that receives it whole. */
  enum End {
    SERVED("test/chat", false, 200),
    STREAMED("test/chat", true, 200),
    REFUSED("test/context", false, 400),
    BROKEN("ends/broken", false, 503),
    CUT("ends/cut", true, 200),
    LATE("ends/silent", false, 504),
    LEFT("test/long", true, 200),
    RESET("test/long", true, 200),
    UNHEARD("test/long", true, 200),
    KILLED("test/long", true, 200);

    private final String model;
    private final boolean stream;
    private final int status;

    End(String model, boolean stream, int status) {
      this.model = model;
      this.stream = stream;
      this.status = status;
    }
  }

  /**
   * Creates the scenario.
   *
   * @param others nodes besides the one that is killed, if any
   * @param start starts the node that may be killed
   */
  RandomOutcomes(String key, List<GatewayProcess> others, Supplier<GatewayProcess> start) {
    this.others = others;
    this.start = start;
    this.authorization = ChatRequests.authorization(key);
    this.seed = Long.getLong("tollgate.seed", new Random().nextLong());
    this.mortal = start.get();
  }

  /** Adds the models of the requests, at the shared node's provider, which survives the kills. */
  static ConfigBuilder models(ConfigBuilder setup) {
    String provider = SharedNode.node().admin().endpoint("mock").resolve("/v1").toString();
    Map<String, ?> hasty =
        Map.of(
            "type",
            "openai",
            "base_url",
            provider,
            "api_key",
            "k",
            "timeouts",
            Map.of("response_header", "50ms", "first_token", "50ms"));
    return setup
        .openAi("ends", provider, "k")
        .provider("hasty", hasty)
        .model("ends/broken", "ends", "fault/500")
        .model("ends/cut", "ends", "fault/cut-fin:5")
        .model("ends/silent", "hasty", "fault/silent");
  }

  /** Plays this many requests in random order, of which some are kills. */
  void play(int count, int kills) throws Exception {
    List<End> drawn = draw(count, kills);
    AtomicInteger next = new AtomicInteger();
    long begunNanos = System.nanoTime();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        all.add(
            clients.submit(
                () -> {
                  for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                    playOne(drawn.get(n), new Random(seed + n));
                  }
                  return count;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    took = Duration.ofNanos(System.nanoTime() - begunNanos);
    assertThat(seen).as("seed %s", seed).containsKeys(End.values());
  }

  /** None of the last is a kill, so that requests follow each kill. */
  private List<End> draw(int count, int kills) {
    Random random = new Random(seed);
    List<End> drawn = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      drawn.add(OFTEN.get(n % OFTEN.size()));
      if (n % RARELY == 0) {
        drawn.set(n, End.BROKEN);
      }
    }
    Collections.shuffle(drawn, random);
    for (int left = kills; left > 0; left--) {
      drawn.set(random.nextInt(count * 9 / 10), End.KILLED);
    }
    return drawn;
  }

  private void playOne(End end, Random random) throws InterruptedException {
    Lock lock = end == End.KILLED ? life.writeLock() : life.readLock();
    long begunNanos = System.nanoTime();
    boolean ended = false;
    while (!ended) {
      lock.lock();
      try {
        ended = ends(end, random);
      } finally {
        lock.unlock();
      }
      if (!ended) {
        assertThat(Duration.ofNanos(System.nanoTime() - begunNanos))
            .as("%s is let in, seed %s", end, seed)
            .isLessThan(LET_IN);
        var _ = NEVER.await(1 + random.nextInt(4), TimeUnit.MILLISECONDS);
      }
    }
    if (end == End.KILLED) {
      mortal.close();
      mortal = start.get();
      isStarting = false;
    }
    synchronized (seen) {
      seen.merge(end, 1, Integer::sum);
    }
  }

  /** Sends a request until it is admitted and ends in this way. */
  private boolean ends(End end, Random random) throws InterruptedException {
    boolean elsewhere = isStarting || (end != End.KILLED && random.nextInt(4) == 0);
    if (isStarting && (others.isEmpty() || end == End.KILLED)) {
      return false;
    }
    GatewayProcess node =
        elsewhere && !others.isEmpty() ? others.get(random.nextInt(others.size())) : mortal;
    long askedNanos = System.nanoTime();
    try (RawClient client = node.connect()) {
      client.post(ChatRequests.PATH, ChatRequests.body(end.model, end.stream), authorization);
      switch (end) {
        case SERVED, STREAMED, REFUSED, BROKEN, CUT, LATE -> {
          return readsAll(client, end, askedNanos);
        }
        case UNHEARD -> {
          return true; // admitted or not, whenever that is known
        }
        case LEFT, RESET, KILLED -> {
          if (!client.readUntil("\r\n").contains(" 200 ")) {
            return false;
          }
          admitted(askedNanos);
          client.peekAtLeast(1 + random.nextInt(2_000));
        }
      }
      if (end == End.RESET) {
        client.reset();
      } else if (end == End.KILLED) {
        kill();
      }
      return true;
    }
  }

  private boolean readsAll(RawClient client, End end, long askedNanos) {
    RawResponse response = client.readResponse();
    if (response.status() == 429 || response.text().contains("\"service_unavailable\"")) {
      return false; // refused by the limit, or because Redis was late on a busy machine
    }
    assertThat(response.status()).as("%s: %s", end, response.text()).isEqualTo(end.status);
    admitted(askedNanos);
    return true;
  }

  private void admitted(long askedNanos) {
    synchronized (seen) {
      if (killedNanos != 0) {
        Duration blocked = Duration.ofNanos(askedNanos - killedNanos);
        longestBlocked = blocked.compareTo(longestBlocked) > 0 ? blocked : longestBlocked;
        killedNanos = 0;
      }
    }
  }

  private void kill() throws InterruptedException {
    mortal.kill();
    synchronized (seen) {
      killedNanos = System.nanoTime();
    }
    isStarting = true;
  }

  /** Longest time without an admission after a kill, and the number of each result. */
  Duration longestBlocked() {
    return longestBlocked;
  }

  @Override
  public String toString() {
    return "%s in %d ms; after a kill somebody was let in within %d ms; seed %d"
        .formatted(seen, took.toMillis(), longestBlocked.toMillis(), seed);
  }

  /** After all requests no permit is held anywhere, and one more request is admitted at once. */
  void requireTheSlotIsFree(String key) {
    List<GatewayProcess> nodes = new ArrayList<>(others);
    nodes.add(mortal);
    for (GatewayProcess node : nodes) {
      node.admin().awaitNoRequests();
      assertThat(node.admin().total("tollgate_limit_slots_in_use")).as(toString()).isZero();
    }
    for (GatewayProcess node : nodes) {
      assertThat(ChatRequests.ask(node, "test/chat", key).status()).as(toString()).isEqualTo(200);
    }
  }

  @Override
  public void close() {
    mortal.close();
  }
}
