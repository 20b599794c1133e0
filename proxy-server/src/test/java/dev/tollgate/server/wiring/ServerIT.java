package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.ops.Logback;
import dev.tollgate.server.ops.LoopLag;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The gateway over real sockets, with a real store and the bundled mock provider; the last tests
 * end the shared gateway.
 */
@Tag("chaos")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ServerIT {
  private static final String RELOAD_FAILURES = "tollgate_config_reload_failures_total";
  private static final int LAST_BUT_ONE = 1_900_000_000;
  private static final int LAST = 2_000_000_000;
  private static final String CONFIGURATION =
      """
      version: 1
      listeners:
        api: { address: "127.0.0.1:0" }
        control: { address: null }
        admin: { address: "127.0.0.1:0" }
      server: { event_loops: 2, shutdown: { delay: 200ms, timeout: 2s } }
      store: { url: embedded, data_dir: ./data }
      telemetry: { genai_metrics: true }
      limits: { key: { requests_per_second: 0 } }
      providers:
        mock: { type: mock, ttft: 0ms, chunk_interval: 0ms, chunks: 4 }
        away:
          type: openai
          base_url: "http://127.0.0.1:9/v1"
          api_key: canary-of-a-key
          circuit: { failures: 1000 }
        gone: { type: openai, base_url: "http://127.0.0.1:9/v1", circuit: { failures: 1000 } }
      models:
        test/chat:
          modality: chat
          price: { input: "1", output: "2" }
          routes: [ { provider: mock, model: chat } ]
        test/slow:
          modality: chat
          price: free
          routes: [ { provider: mock, model: "chat?interval=100ms&chunks=8" } ]
        test/endless:
          modality: chat
          price: free
          routes: [ { provider: mock, model: "fault/stall:2" } ]
        test/away:
          modality: chat
          price: free
          routes: [ { provider: away, model: chat } ]
        test/nowhere:
          modality: chat
          price: free
          routes:
            - { provider: away, model: chat }
            - { provider: gone, model: chat, priority: 2 }
      """;
  private static final String ONE_MORE_MODEL =
      """
        test/new:
          modality: chat
          price: free
          routes: [ { provider: mock, model: chat } ]
      """;

  private static TestGateway gateway;

  /**
   * The metrics of loops exist from the start. Not the log: a loop logs once a minute, and an
   * earlier block may have caused that line.
   */
  private static final class Held extends AppenderBase<ILoggingEvent> {
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    @Override
    protected void append(ILoggingEvent event) {
      lines.add(event.getFormattedMessage());
    }
  }

  private static final Held HELD = new Held();

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    HELD.start();
    Logback.logger(LoopLag.class).addAppender(HELD);
    gateway = TestGateway.start(folder, CONFIGURATION);
  }

  @AfterAll
  static void close() {
    gateway.close();
    Logback.logger(LoopLag.class).detachAppender(HELD);
  }

  @Test
  void theStartupInfoSufficesForAFirstRequest() {
    assertThat(gateway.greeting().baseUrl()).matches("http://127\\.0\\.0\\.1:\\d+/v1");
    assertThat(gateway.greeting().model()).isEqualTo("test/chat");
    assertThat(gateway.key()).startsWith("sk-llm-");
    assertThat(gateway.greeting().toString()).doesNotContain(gateway.key());

    RawResponse reply = gateway.chat("test/chat");
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.text()).contains("\"model\":\"test/chat\"", "\"provider\":\"mock\"");
  }

  /**
   * While an upstream is drained after a disconnect, the claim is renewed and the reply is stored.
   */
  @Test
  void dependenciesOfRequestsCloseAfterTheListener() {
    assertThat(gateway.server().closing())
        .containsSubsequence("gateway", "upstream connections", "ledger", "submissions", "store")
        .containsSubsequence("gateway", "certificates", "network")
        .containsSubsequence("upstream connections", "object storage")
        .containsSubsequence("upstream connections", "request log");
  }

  @Test
  void aStreamEndsWithUsageAndDone() {
    try (var client = gateway.connect()) {
      RawResponse reply = gateway.chat(client, "test/chat", true).readResponse();

      assertThat(reply.events()).last().isEqualTo("data: [DONE]");
      assertThat(reply.events().get(reply.events().size() - 2))
          .contains("\"choices\":[]", "\"completion_tokens\":4", "\"x_llm_cost_micro\"");
    }
  }

  @Test
  void theMetricsCountARequestWhenItEnds() {
    String requests =
        "tollgate_requests_total{code=\"none\",model=\"test/chat\",outcome=\"ok\","
            + "provider=\"mock\",route=\"/v1/chat/completions\"}";
    String before = gateway.metric(requests);
    gateway.chat("test/chat");

    assertThat(number(gateway.metric(requests))).isEqualTo(number(before) + 1);
    assertThat(gateway.metric("tollgate_upstream_leases{provider=\"mock\"}")).isEqualTo("0.0");
    assertThat(gateway.metric("tollgate_inflight_bytes")).isEqualTo("0.0");
    assertThat(gateway.metric("tollgate_ready")).isEqualTo("1.0");
  }

  @Test
  void theConnectionPoolsShowWhatHikariMeasures() {
    gateway.chat("test/chat");
    String pool = "{pool=\"store\"}";
    assertThat(number(gateway.metric("hikaricp_connections" + pool))).isPositive();
    assertThat(number(gateway.metric("hikaricp_connections_acquire_seconds_count" + pool)))
        .isPositive();
    assertThat(gateway.metric("hikaricp_connections_timeout_total" + pool)).isEqualTo("0.0");
  }

  /** Row D11: clients on the other loop are not affected; log and metric show the lag. */
  @Test
  void aBlockedLoopDelaysOnlyItsOwnClients() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    var blocked = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int n = 0; n < 4; n++) {
        clients.add(gateway.connect());
        assertThat(gateway.chat(clients.get(n), "test/chat", false).readResponse().status())
            .isEqualTo(200);
      }
      EventExecutor loop = gateway.server().loops().iterator().next();
      loop.execute(() -> awaitUninterruptibly(blocked));
      var answered = new LinkedBlockingQueue<RawClient>();
      List<Future<?>> asking = new ArrayList<>();
      for (RawClient client : clients) {
        asking.add(threads.submit(() -> ask(client, answered)));
      }
      for (int n = 0; n < 10; n++) { // the two connections of the other loop in turn
        RawClient free = answered.poll(10, TimeUnit.SECONDS);
        assertThat(free).as("request %d beside a blocked loop", n).isNotNull();
        asking.add(threads.submit(() -> ask(free, answered)));
      }
      while (number(gateway.metric("tollgate_event_loop_lag_max_seconds{loop=\"0\"}")) < 0.5) {}
      assertThat(asking.stream().filter(each -> !each.isDone()).count())
          .as("two wait for their loop, and at most two for their answer")
          .isBetween(2L, 4L);
      blocked.countDown();
      for (Future<?> each : asking) {
        each.get(10, TimeUnit.SECONDS);
      }
    } finally {
      blocked.countDown();
      clients.forEach(RawClient::close);
    }
    assertThat(gateway.chat("test/chat").status()).isEqualTo(200);
    String line;
    do { // the probe of the loop runs behind the queued work
      line = HELD.lines.poll(10, TimeUnit.SECONDS);
      assertThat(line).as("the line of loop 0").isNotNull();
    } while (!line.startsWith("event loop 0 was blocked for "));
  }

  private static void ask(RawClient client, BlockingQueue<RawClient> answered) {
    assertThat(gateway.chat(client, "test/chat", false).readResponse().status()).isEqualTo(200);
    answered.add(client);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aProviderThatCannotBeReachedIsNamedInTheError() {
    RawResponse reply = gateway.chat("test/away");

    assertThat(reply.status()).isEqualTo(503);
    assertThat(reply.text())
        .contains("\"code\":\"provider_unavailable\"", "\"provider\":\"away\"")
        .doesNotContain("canary-of-a-key");
  }

  @Test
  void theConfigurationIsShownWithoutItsSecrets() {
    assertThat(gateway.adminGet("/config").text())
        .contains("\"data_dir\"", "\"away\"")
        .doesNotContain("canary-of-a-key");
    assertThat(gateway.adminGet("/providers").text())
        .contains("\"provider\":\"away\"", "\"endpoint\":\"http://127.0.0.1:9\"")
        .contains("\"circuit\":{\"state\":", "\"fingerprint\":", "\"upstream_model\":\"chat\"")
        .doesNotContain("canary-of-a-key");
  }

  @Test
  void aValidFileIsLoadedAndAnInvalidOneChangesNothing() throws IOException {
    assertThat(gateway.models().text()).doesNotContain("test/new");

    gateway.rewrite(CONFIGURATION + ONE_MORE_MODEL);
    assertThat(gateway.adminPost("/-/reload").status()).isEqualTo(200);
    assertThat(gateway.models().text()).contains("test/new");
    assertThat(gateway.chat("test/new").status()).isEqualTo(200);

    double failures = number(gateway.metric(RELOAD_FAILURES));
    gateway.rewrite(CONFIGURATION + "modles: {}\n");
    RawResponse refused = gateway.adminPost("/-/reload");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("modles", "models");
    assertThat(gateway.models().text()).contains("test/new");
    assertThat(number(gateway.metric(RELOAD_FAILURES))).isEqualTo(failures + 1);
    assertThat(gateway.metric("tollgate_config_last_reload_successful")).isEqualTo("0.0");
  }

  @Test
  void theReloadedBoundOnAttemptsHoldsForRequestsThatBeginAfterIt() throws IOException {
    assertThat(attempts(gateway.chat("test/nowhere"))).isEqualTo(3);

    gateway.rewrite(CONFIGURATION + "routing: { max_attempts: 1 }\n");
    assertThat(gateway.adminPost("/-/reload").status()).isEqualTo(200);
    assertThat(attempts(gateway.chat("test/nowhere"))).isEqualTo(1);

    gateway.rewrite(CONFIGURATION);
    assertThat(gateway.adminPost("/-/reload").status()).isEqualTo(200);
    assertThat(attempts(gateway.chat("test/nowhere"))).isEqualTo(3);
  }

  private static int attempts(RawResponse refused) {
    return refused.text().split("\"outcome\":", -1).length - 1;
  }

  @Test
  void aReloadWarnsOfSettingsWithoutEffect() throws IOException {
    var logger = Logback.logger(Snapshots.class);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    logger.addAppender(lines);
    try {
      gateway.rewrite(CONFIGURATION + "webhooks: { timeout: 11s }\n");
      assertThat(gateway.adminPost("/-/reload").status()).isEqualTo(200);
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.getLevel()).isEqualTo(Level.WARN);
              assertThat(line.getFormattedMessage())
                  .contains("telemetry.genai_metrics: is not available yet");
            });
  }

  @Test
  void aReloadNamesSettingsThatNeedARestart() throws IOException {
    gateway.rewrite(CONFIGURATION.replace("event_loops: 2", "event_loops: 1"));

    RawResponse refused = gateway.adminPost("/-/reload");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("server.event_loops takes effect only at a restart");
  }

  @Test
  @Order(LAST_BUT_ONE)
  void aRevokedKeyIsRefusedWithinFiveSeconds() throws Exception {
    try (var client = gateway.connect()) {
      assertThat(gateway.chat(client, "test/chat", false).readResponse().status()).isEqualTo(200);
      var id = ((ApiKeyText.ValidKey) ApiKeyText.parse(gateway.key())).keyId();
      gateway.server().store().apiKeys().disable(id);

      long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
      RawResponse reply = gateway.chat(client, "test/chat", false).readResponse();
      // A client without pauses may be limited before the key is known to be disabled.
      while (reply.status() != 401 && System.nanoTime() < deadline) {
        reply = gateway.chat(client, "test/chat", false).readResponse();
      }
      assertThat(reply.status()).isEqualTo(401);
      assertThat(reply.text()).contains("\"code\":\"key_disabled\"");

      gateway.server().store().apiKeys().enable(id);
      while (reply.status() != 200 && System.nanoTime() < deadline) {
        reply = gateway.chat(client, "test/chat", false).readResponse();
      }
      assertThat(reply.status()).isEqualTo(200);
    }
  }

  @Test
  @Order(LAST)
  void aDrainLetsStreamsFinishAndEndsTheRest() throws Exception {
    try (var slow = gateway.connect();
        var endless = gateway.connect();
        var idle = gateway.connect()) {
      gateway.chat(slow, "test/slow", true).readUntil("\"role\"");
      gateway.chat(endless, "test/endless", true).readUntil("\"role\"");

      gateway.server().stop();
      assertThat(gateway.adminGet("/readyz").status()).isEqualTo(503);
      assertThat(withoutReuse(idle)).isEqualTo("close");

      assertThat(slow.readUntil("[DONE]")).contains("\"finish_reason\":\"stop\"");
      assertThat(endless.readUntil("[DONE]"))
          .contains("\"usage\"", "\"error\"", "\"code\":\"service_unavailable\"");
      CompletableFuture.runAsync(gateway.server()::awaitDrained).get(10, TimeUnit.SECONDS);
    }
  }

  private static String withoutReuse(RawClient client) {
    RawResponse reply =
        client.get("/v1/models", "Authorization: Bearer " + gateway.key()).readResponse();
    return String.valueOf(reply.header("connection"));
  }

  private static double number(@Nullable String value) {
    return value == null ? 0 : Double.parseDouble(value);
  }
}
