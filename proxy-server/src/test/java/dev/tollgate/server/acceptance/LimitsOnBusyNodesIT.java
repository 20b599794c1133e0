package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.acceptance.RoundRobin.Answer;
import dev.tollgate.server.redis.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Four nodes that start at once on a machine that is too small for them, and then share it with
 * other programs: as long as Redis answers a PING in time, no request is refused because of it.
 * When Redis is killed, they grant no slot that another of them holds. The soak profile measures
 * for two minutes each.
 */
@Tag("chaos")
@Isolated
class LimitsOnBusyNodesIT {
  private static final int NODES = 4;
  private static final int CLIENTS_OF_NODE = 3;
  private static final Duration WINDOW =
      Duration.ofSeconds(2L * Integer.getInteger("tollgate.limits.window", 2));

  /** Redis shares the processors, too. */
  private static final Duration REDIS_TIMEOUT = Duration.ofMillis(250);

  /** Less than the timeout, because PINGs are sent with a pause. */
  private static final Duration PING_IN_TIME = REDIS_TIMEOUT.minusMillis(25);

  /** Longest wait for slots after a restart of Redis, on a machine that answers PINGs at once. */
  private static final Duration BACK = Duration.ofMillis(1_200);

  private static final Duration PING_AT_ONCE = Duration.ofMillis(25);
  private static final Duration BACK_ON_A_BUSY_MACHINE = BACK.multipliedBy(5);
  private static final String MODEL = "acme/cheap";

  @Test
  void whoIsLateTakesNoIdleRedisForDead() throws Exception {
    String key = key("--concurrency", "1000", "--requests-per-second", "100000");
    String scarce = key("--concurrency", "" + NODES);
    ChatRequests.ask(SharedNode.node(), MODEL, key); // loads what checks the answers
    List<GatewayProcess> nodes = new CopyOnWriteArrayList<>();
    try (var redis = RedisProcess.start();
        var pings = RedisPings.to(redis.port(), PING_IN_TIME)) {
      try {
        requireServed("limits-just-started", startAndLoad(nodes, redis, key), pings, nodes);
        List<Process> others = occupyProcessors(WINDOW.plusSeconds(1));
        requireServed("limits-busy", load(nodes, key), pings, nodes);
        for (Process other : others) {
          other.waitFor();
        }
        requireNoneAboveTheLimitAfterAKill(nodes, redis, scarce);
      } finally {
        nodes.forEach(GatewayProcess::close);
      }
    }
  }

  /** Starts all nodes at once, each with clients from its first second on. */
  private static Collection<Answer> startAndLoad(
      List<GatewayProcess> nodes, RedisProcess redis, String key) throws Exception {
    var answers = new ConcurrentLinkedQueue<Answer>();
    Callable<Boolean> started =
        () -> {
          GatewayProcess node = node(redis);
          nodes.add(node);
          return answers.addAll(load(List.of(node), key));
        };
    try (ExecutorService threads = Executors.newFixedThreadPool(NODES)) {
      for (Future<Boolean> each : threads.invokeAll(Collections.nCopies(NODES, started))) {
        each.get();
      }
    }
    return answers;
  }

  private static GatewayProcess node(RedisProcess redis) {
    return SharedNode.beside(
        SharedNode.setup(),
        List.of("-XX:+UseSerialGC"),
        "redis.url=" + redis.url(),
        "redis.timeout=" + REDIS_TIMEOUT.toMillis() + "ms",
        "limits.org.requests_per_second=100000",
        "limits.org.requests_per_minute=0",
        "limits.global.requests_per_second=0");
  }

  private static List<Answer> load(List<GatewayProcess> nodes, String key) throws Exception {
    int clients = CLIENTS_OF_NODE * nodes.size();
    try (var load = RoundRobin.on(nodes, MODEL, List.of(key), clients)) {
      load.awaitAny(System.nanoTime() + WINDOW.toNanos(), 1);
      return load.end();
    }
  }

  /** Keeps two processors busy with processes that end by themselves. */
  private static List<Process> occupyProcessors(Duration time) throws IOException {
    String seconds = Long.toString(time.toSeconds());
    List<Process> others = new ArrayList<>();
    for (int n = 0; n < 2; n++) {
      others.add(new ProcessBuilder("timeout", seconds, "sh", "-c", "while :; do :; done").start());
    }
    return others;
  }

  private static void requireServed(
      String name, Collection<Answer> answers, RedisPings pings, List<GatewayProcess> nodes)
      throws Exception {
    Map<Integer, Integer> statuses = new TreeMap<>();
    List<Answer> unexcused = new ArrayList<>();
    for (Answer each : answers) {
      statuses.merge(each.status(), 1, Integer::sum);
      if (each.status() != 200 && !pings.wereLate(each.askedNanos(), each.givenNanos())) {
        unexcused.add(each);
      }
    }
    long from = answers.stream().mapToLong(Answer::askedNanos).min().orElseThrow();
    long until = answers.stream().mapToLong(Answer::givenNanos).max().orElseThrow();
    double lateShare = pings.lateShare(from, until);
    String changes =
        nodes.stream()
            .flatMap(node -> node.err().text().lines())
            .filter(line -> line.contains("limits: "))
            .collect(Collectors.joining("; "));
    String figures =
        "%d nodes answered %s, %d others than 200 while Redis was in time; %s, %.0f %% of the time; %s"
            .formatted(NODES, statuses, unexcused.size(), pings, 100 * lateShare, changes);
    RecordedFigures.keep(name, figures);
    assertThat(unexcused).as(figures).isEmpty();
    assertThat(statuses.getOrDefault(200, 0)).as(figures).isGreaterThan(10 * NODES);
    assertThat(lateShare).as(figures).isLessThan(0.5);
  }

  /** Each node holds a slot, together all that there are, when Redis loses its memory. */
  private static void requireNoneAboveTheLimitAfterAKill(
      List<GatewayProcess> nodes, RedisProcess redis, String key) throws Exception {
    List<RawClient> held = new ArrayList<>();
    try {
      for (GatewayProcess node : nodes) {
        RawClient stream = node.connect();
        held.add(stream);
        stream.post(
            ChatRequests.PATH,
            ChatRequests.body("test/long", true),
            ChatRequests.authorization(key));
        stream.readUntil("data: ");
      }
      redis.kill();
      nodes.forEach(node -> assertThat(ask(node, key).status()).isEqualTo(503));
      redis.startAgain();
      requireRefusedByEach(nodes, redis, key);
    } finally {
      held.forEach(RawClient::close);
    }
  }

  /** Each node's first answer about slots is that none is free. */
  private static void requireRefusedByEach(
      List<GatewayProcess> nodes, RedisProcess redis, String key) throws IOException {
    long startedNanos = System.nanoTime();
    List<Long> millis = new ArrayList<>();
    try (var pings = RedisPings.to(redis.port(), PING_AT_ONCE)) {
      for (GatewayProcess node : nodes) {
        RawResponse reply = ask(node, key);
        while (reply.status() == 503
            && System.nanoTime() - startedNanos < BACK_ON_A_BUSY_MACHINE.toNanos()) {
          reply = ask(node, key);
        }
        millis.add((System.nanoTime() - startedNanos) / 1_000_000);
        assertThat(ChatRequests.code(reply)).isEqualTo("concurrency_exceeded");
      }
      RecordedFigures.keep(
          "limits-killed",
          "nodes counted slots again after these ms: %s; %s".formatted(millis, pings));
      boolean isBusy = pings.wereLate(startedNanos, System.nanoTime());
      long most = (isBusy ? BACK_ON_A_BUSY_MACHINE : BACK).toMillis();
      assertThat(millis).as("%s", pings).allSatisfy(each -> assertThat(each).isLessThan(most));
    }
  }

  private static RawResponse ask(GatewayProcess node, String key) {
    return ChatRequests.ask(node, MODEL, key);
  }

  private static String key(String... limits) throws Exception {
    List<String> verb = new ArrayList<>(List.of("keys", "create", "--org", "acceptance"));
    verb.addAll(List.of("--name", "busy"));
    verb.addAll(List.of(limits));
    String made = LauncherProcess.ask(SharedNode.node().home(), verb.toArray(String[]::new));
    return Json.tree(made).path("key").asText();
  }
}
