package dev.tollgate.server.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.testkit.ScriptedNames;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.RetrySchedule;
import dev.tollgate.core.webhook.WebhookObserver;
import dev.tollgate.core.webhook.WebhookRequest;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.wiring.LocalReceivers;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Receivers of all kinds over real sockets and TLS, called by the sender of a node. */
class BlockingPostClientTest {
  private static final int SECONDS_MAX = 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final long NOW = 1_764_000_000;
  private static final List<String> KINDS =
      List.of("fails", "stalls", "redirects", "gone", "slow", "private", "absent", "fine");

  private final Map<String, byte[]> bodies = new ConcurrentHashMap<>();
  private final Map<String, Map<String, String>> fields = new ConcurrentHashMap<>();
  private final CountDownLatch stalling = new CountDownLatch(1);
  private final VirtualOutbox outbox = new VirtualOutbox(Ticker.newMockTicker());

  private void answer(HttpExchange call) throws IOException {
    String kind = call.getRequestURI().getPath().substring(1);
    bodies.put(kind, call.getRequestBody().readAllBytes());
    Map<String, String> seen = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    call.getRequestHeaders().forEach((name, values) -> seen.put(name, values.getFirst()));
    fields.put(kind, seen);
    try {
      switch (kind) {
        case "stalls" -> {
          var _ = stalling.await(SECONDS_MAX, TimeUnit.SECONDS);
        }
        case "redirects" -> {
          call.getResponseHeaders().add("Location", "/fine");
          call.sendResponseHeaders(307, -1);
        }
        case "slow" -> {
          call.sendResponseHeaders(200, 2);
          call.getResponseBody().write('o');
          call.getResponseBody().flush();
          call.getResponseBody().write('k');
        }
        default ->
            call.sendResponseHeaders(Map.of("fails", 500, "gone", 410).getOrDefault(kind, 204), -1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      call.close();
    }
  }

  private static ClaimedEvent due(String kind, int port) {
    return new ClaimedEvent(
        UUID.nameUUIDFromBytes(kind.getBytes(UTF_8)),
        new OrgId(new UUID(0, 1)),
        UUID.randomUUID(),
        "job.completed",
        "https://" + kind + ".example:" + port + "/" + kind,
        new RequestId("req_01JADE"),
        1,
        1,
        Duration.ZERO,
        List.of(new WebhookSecret(new byte[32])));
  }

  @Test
  void eachSortOfReceiverIsDealtWith() throws Exception {
    List<String> hosts = KINDS.stream().map(kind -> kind + ".example").toList();
    try (LocalReceivers local = LocalReceivers.listen(hosts, 16, this::answer);
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
      int port = local.port();
      KINDS.forEach(kind -> outbox.add(due(kind, port)));
      var ended = new CountDownLatch(KINDS.size());
      var poster = local.poster(names(hosts), Set.of(port), TIMEOUT);
      try (WebhookSender sender = sender(new BlockingPostClient(group, poster), ended)) {
        sender.start();
        assertThat(ended.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
      }
      stalling.countDown();
    }
    assertThat(outcomes())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "fails", "bad_status 500",
                "stalls", "timed_out",
                "redirects", "bad_status 307",
                "gone", "gone 410",
                "slow", "ok 200",
                "private", "blocked",
                "absent", "unresolved",
                "fine", "ok 204"));
    WebhookRequest wanted = WebhookRequest.of(due("fine", 1), "{\"n\":1}".getBytes(UTF_8), NOW);
    assertThat(bodies.get("fine")).isEqualTo(wanted.body());
    wanted
        .fields()
        .forEach(
            field -> assertThat(fields.get("fine")).containsEntry(field.name(), field.value()));
    assertThat(bodies).doesNotContainKeys("private", "absent");
  }

  @Test
  void aSenderThatEndsAbortsStalledCalls() throws Exception {
    try (LocalReceivers local = LocalReceivers.listen(List.of("fine.example"), 16, this::answer);
        var silent = new ServerSocket(0, 16, LocalReceivers.HERE);
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
      int port = silent.getLocalPort();
      outbox.add(due("stalls", port));
      var hosts = names(List.of("stalls.example"));
      var poster = local.poster(hosts, Set.of(port), Duration.ofMinutes(5));
      WebhookSender sender = sender(new BlockingPostClient(group, poster), new CountDownLatch(1));
      sender.start();
      // Held in a variable: the collector closes an unreachable socket, which would end the
      // silence.
      try (Socket held = silent.accept()) {
        sender.close();
        assertThat(held.isClosed()).isFalse();
      }
      assertThat(group.submit(poster::inFlight).get()).isZero();
      assertThat(outbox.booked()).isEmpty();
    }
  }

  private static ScriptedNames names(List<String> hosts) {
    var names = new ScriptedNames();
    hosts.forEach(host -> names.answer(host, "127.0.0.1"));
    return names.answer("private.example", "10.0.0.1").answer("absent.example", "NXDOMAIN");
  }

  private WebhookSender sender(BlockingPostClient receivers, CountDownLatch ended) {
    var observer =
        new WebhookObserver() {
          @Override
          public void began(Duration age) {}

          @Override
          public void attempted(String outcome, Duration took) {
            ended.countDown();
          }

          @Override
          public void ended(String how) {}
        };
    return WebhookSender.of(
        outbox,
        _ -> Optional.of("{\"n\":1}".getBytes(UTF_8)),
        receivers,
        observer,
        () ->
            new SenderRules(
                new RetrySchedule(List.of(Duration.ZERO, Duration.ofHours(1))), TIMEOUT),
        () -> Instant.ofEpochSecond(NOW));
  }

  private Map<String, String> outcomes() {
    Map<String, String> all = new TreeMap<>();
    for (String kind : KINDS) {
      UUID id = due(kind, 1).id();
      Attempt its =
          outbox.booked().stream()
              .filter(one -> one.claimed().id().equals(id))
              .findAny()
              .orElseThrow();
      var status = its.reply().status();
      all.put(kind, its.reply().outcome() + (status.isPresent() ? " " + status.getAsInt() : ""));
    }
    return all;
  }
}
