package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.RoundRobin.Answer;
import dev.tollgate.server.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Four nodes that start at once on a machine that is too small for them, and then share it with
 * other programs: as long as Redis answers in time, no request is refused because of it. The soak
 * profile measures for a minute each.
 */
@Tag("chaos")
@Isolated
class LimitsOnBusyNodesIT {
  private static final int NODES = 4;
  private static final int CLIENTS_OF_NODE = 3;
  private static final Duration WINDOW =
      Duration.ofSeconds(Integer.getInteger("tollgate.limits.busy", 4));
  private static final Duration REDIS_TIMEOUT = Duration.ofMillis(50);
  private static final String MODEL = "acme/cheap";

  @Test
  void aNodeThatIsLateTakesAnIdleRedisForNoneThatIsGone() throws Exception {
    String key = SharedNode.key();
    ChatRequests.ask(SharedNode.node(), MODEL, key); // loads what checks the answers
    var answers = new ConcurrentLinkedQueue<Answer>();
    List<GatewayProcess> nodes = new CopyOnWriteArrayList<>();
    try (var redis = RedisProcess.start();
        var pings = RedisPings.to(redis.port());
        ExecutorService threads = Executors.newFixedThreadPool(NODES)) {
      try {
        Callable<Boolean> started =
            () -> {
              GatewayProcess node = node(redis);
              nodes.add(node);
              return answers.addAll(load(List.of(node), key)); // from its first second
            };
        for (Future<Boolean> each : threads.invokeAll(Collections.nCopies(NODES, started))) {
          each.get();
        }
        require("limits-just-started", answers, pings, nodes);

        answers.clear();
        occupyProcessors(WINDOW.plusSeconds(1));
        answers.addAll(load(nodes, key));
        require("limits-busy", answers, pings, nodes);
      } finally {
        nodes.forEach(GatewayProcess::close);
      }
    }
  }

  private static GatewayProcess node(RedisProcess redis) {
    return SharedNode.beside(
        SharedNode.setup(),
        List.of("-XX:+UseSerialGC"),
        "redis.url=" + redis.url(),
        "limits.key.requests_per_second=100000",
        "limits.key.requests_per_minute=0",
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
  private static void occupyProcessors(Duration time) throws Exception {
    for (int n = 0; n < 2; n++) {
      String seconds = Long.toString(time.toSeconds());
      var _ = new ProcessBuilder("timeout", seconds, "sh", "-c", "while :; do :; done").start();
    }
  }

  private static void require(
      String name, Iterable<Answer> answers, RedisPings pings, List<GatewayProcess> nodes)
      throws Exception {
    Map<Integer, Integer> statuses = new TreeMap<>();
    List<Answer> unexcused = new ArrayList<>();
    for (Answer each : answers) {
      statuses.merge(each.status(), 1, Integer::sum);
      if (each.status() == 503
          && !pings.wasLate(each.askedNanos(), each.givenNanos(), REDIS_TIMEOUT)) {
        unexcused.add(each);
      }
    }
    var changes = new StringBuilder();
    for (GatewayProcess node : nodes) {
      node.err().text().lines().filter(line -> line.contains("limits: ")).forEach(changes::append);
    }
    String figures =
        "%d nodes answered %s, %d with 503 while Redis answered PING in time; %s; %s"
            .formatted(NODES, statuses, unexcused.size(), pings, changes);
    RecordedFigures.keep(name, figures);
    assertThat(statuses.getOrDefault(200, 0)).as(figures).isGreaterThan(NODES);
    assertThat(unexcused).as(figures).isEmpty();
  }
}
