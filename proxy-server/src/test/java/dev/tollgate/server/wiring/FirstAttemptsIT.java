package dev.tollgate.server.wiring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.testkit.ScriptedNames;
import dev.tollgate.core.webhook.RetrySchedule;
import dev.tollgate.core.webhook.WebhookObserver;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.webhook.BlockingPostClient;
import dev.tollgate.server.webhook.SenderRules;
import dev.tollgate.server.webhook.WebhookSender;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Delay until a healthy receiver gets its webhook while others are dead: over real sockets and a
 * real database. No wake-up reaches the sender, so that each event also waits for the next poll.
 */
@Tag("chaos")
@Isolated
class FirstAttemptsIT {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(6);
  private static final int SECONDS_MAX = 60;
  private static final int LIVE_ORGS = 4;
  private static final int LIVE_EVENTS = 200;
  private static final int DEAD_ORGS = 10;
  private static final int DEAD_HOSTS_EACH = 4;
  private static final int DEAD_EVENTS_EACH = 5;
  private static final int PAUSE_MILLIS = 40;
  private static final CountDownLatch NEVER = new CountDownLatch(1);
  private static final String JOB_IS_OVER =
      """
      WITH job AS (
        INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,
          estimated_cost_micro, max_cost_micro, params, metadata, created_at, completed_at,
          expires_at, next_look_at)
        SELECT gen_random_uuid(), ?, 'k', ?, '2026-11-22', 'video', 'm', 'p', 'succeeded', 1, 1,
               '{}', '{}', t, t, t, t FROM ledger_now() t
        RETURNING id, org_id, request_id, completed_at)
      INSERT INTO webhook_event (id, org_id, job_id, event, url, request_id, created_at,
        next_attempt_at)
      SELECT gen_random_uuid(), org_id, id, 'job.completed', ?, request_id, completed_at,
             completed_at FROM job
      RETURNING id, created_at""";

  private final Map<String, Instant> received = new ConcurrentHashMap<>();
  private final Map<String, Instant> over = new ConcurrentHashMap<>();
  private final CountDownLatch allHeard = new CountDownLatch(LIVE_EVENTS);
  private final AtomicInteger deadAttempts = new AtomicInteger();

  private void hear(HttpExchange call) throws IOException {
    if (received.putIfAbsent(call.getRequestHeaders().getFirst("webhook-id"), Instant.now())
        == null) {
      allHeard.countDown();
    }
    call.getRequestBody().readAllBytes();
    call.sendResponseHeaders(204, -1);
    call.close();
  }

  @Test
  void healthyReceiversAreCalledInTwoSecondsWhileFortyAreDead(@TempDir Path folder)
      throws Exception {
    try (var gateway = TestGateway.start(folder, TestGateway.CONFIGURATION);
        LocalReceivers live = LocalReceivers.listen(hosts("live", 1), 64, this::hear);
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        // Accepts connections and never answers; closed first, so that the attempts end.
        var dead = new ServerSocket(0, 1_024, LocalReceivers.HERE)) {
      Store store = gateway.server().store();
      List<OrgId> deadOrgs = orgs(store, DEAD_ORGS);
      for (int n = 0; n < DEAD_ORGS * DEAD_HOSTS_EACH * DEAD_EVENTS_EACH; n++) {
        int host = n % (DEAD_ORGS * DEAD_HOSTS_EACH);
        String url = "https://dead%d.example:%d/".formatted(host, dead.getLocalPort());
        jobIsOver(store, deadOrgs.get(host % DEAD_ORGS), url);
      }
      var ports = Set.of(live.port(), dead.getLocalPort());
      var receivers = new BlockingPostClient(group, live.poster(names(), ports, TIMEOUT));
      try (WebhookSender sender = sender(store, receivers)) {
        sender.start();
        List<OrgId> orgs = orgs(store, LIVE_ORGS);
        for (int n = 0; n < LIVE_EVENTS; n++) {
          String url = "https://live0.example:%d/%d".formatted(live.port(), n);
          Event event = jobIsOver(store, orgs.get(n % LIVE_ORGS), url);
          over.put(event.id(), event.at());
          assertThat(NEVER.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
        }
        assertThat(allHeard.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
      }
    }
    assertThat(deadAttempts).as("those that are dead were asked").hasPositiveValue();
    List<Duration> delays =
        over.entrySet().stream()
            .map(one -> Duration.between(one.getValue(), received.get(one.getKey())))
            .sorted()
            .toList();
    assertThat(delays.get(LIVE_EVENTS * 99 / 100 - 1))
        .as("p99; p50 is %s, the last %s", delays.get(LIVE_EVENTS / 2), delays.getLast())
        .isLessThan(SOON);
  }

  private WebhookSender sender(Store store, BlockingPostClient receivers) {
    var observer =
        new WebhookObserver() {
          @Override
          public void began(Duration age) {}

          @Override
          public void attempted(String outcome, Duration took) {
            if (!outcome.equals("ok")) {
              deadAttempts.incrementAndGet();
            }
          }

          @Override
          public void ended(String how) {}
        };
    var schedule =
        new RetrySchedule(List.of(Duration.ZERO, Duration.ofSeconds(5), Duration.ofHours(1)));
    return WebhookSender.of(
        store.outbox("node"),
        _ -> Optional.of("{}".getBytes(UTF_8)),
        receivers,
        observer,
        () -> new SenderRules(schedule, TIMEOUT),
        InstantSource.system());
  }

  private static List<String> hosts(String sort, int count) {
    List<String> hosts = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      hosts.add(sort + n + ".example");
    }
    return hosts;
  }

  private static ScriptedNames names() {
    var names = new ScriptedNames();
    hosts("live", 1).forEach(host -> names.answer(host, "127.0.0.1"));
    hosts("dead", DEAD_ORGS * DEAD_HOSTS_EACH).forEach(host -> names.answer(host, "127.0.0.1"));
    return names;
  }

  private static List<OrgId> orgs(Store store, int count) throws SQLException {
    List<OrgId> orgs = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      String name = UUID.randomUUID().toString();
      store.organizations().create(name, null);
      orgs.add(store.organizations().find(name).orElseThrow().org().id());
    }
    return orgs;
  }

  /** A webhook event and the time at which its job ended. */
  private record Event(String id, Instant at) {}

  private static Event jobIsOver(Store store, OrgId org, String url) throws SQLException {
    try (var connection = store.pool().getConnection();
        var insert = connection.prepareStatement(JOB_IS_OVER)) {
      insert.setObject(1, org.value());
      insert.setString(2, RequestId.at(System.currentTimeMillis()).value());
      insert.setString(3, url);
      try (var row = insert.executeQuery()) {
        row.next();
        return new Event(row.getString(1), row.getObject(2, OffsetDateTime.class).toInstant());
      }
    }
  }
}
