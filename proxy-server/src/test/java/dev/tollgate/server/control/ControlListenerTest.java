package dev.tollgate.server.control;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.Headers;
import dev.tollgate.core.testkit.FramingRow;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.control.route.ControlReply;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.RouteDraft;
import dev.tollgate.server.control.route.RouteSpec;
import dev.tollgate.server.settings.value.HttpUrl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bounds, framing and drain of the control plane's listener. */
final class ControlListenerTest {
  private static final RouteSpec HELD = RouteDraft.get("T1", "/api/v1/held").build("HELD");
  private static final RouteSpec FREE = RouteDraft.get("T2", "/api/v1/free").build("FREE");

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);

  private Handlers handlers() {
    return new Handlers.Builder()
        .on(
            HELD,
            _ -> {
              begun.countDown();
              awaitQuietly(release);
              return ControlReply.noContent();
            })
        .on(FREE, _ -> ControlReply.noContent())
        .build();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new AssertionError("nobody released it");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void ofOneAddressAtMost64ConnectionsStayOpen() {
    List<RawClient> clients = new ArrayList<>();
    try (TestControl control = new TestControl(handlers())) {
      String token = control.token();
      for (int i = 0; i < ControlListener.CONNECTIONS_PER_ADDRESS_MAX + 1; i++) {
        RawClient client = control.connect();
        assertThat(client.get("/api/v1/free", token).readResponse().status()).isEqualTo(204);
        clients.add(client);
      }
      assertThat(clients.getFirst().readToEnd()).isEmpty();
      assertThat(clients.get(1).get("/api/v1/free", token).readResponse().status()).isEqualTo(204);
      assertThat(control.listener.gateway().gauges().evictedAtAddressLimit()).isOne();
    } finally {
      clients.forEach(RawClient::close);
    }
  }

  @Test
  void aCallThatFindsNoPlaceIsRefusedSoon() throws Exception {
    try (TestControl control = new TestControl(handlers(), TestControl.options(null, 1, 1_000));
        RawClient held = control.connect();
        RawClient refused = control.connect()) {
      held.get("/api/v1/held");
      assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
      RawResponse response = refused.get("/api/v1/free").readResponse();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.header("retry-after")).isEqualTo("1");
      release.countDown();
      assertThat(held.readResponse().status()).isEqualTo(204);
      assertThat(refused.get("/api/v1/free").readResponse().status()).isEqualTo(204);
    }
  }

  @Test
  void rateLimitsAreOfThePrincipalAndOfAddressesWithoutOne() {
    try (TestControl control = new TestControl(handlers(), TestControl.options(null, 64, 1));
        RawClient client = control.connect()) {
      String token = control.token();
      assertThat(client.get("/api/v1/free", token).readResponse().status()).isEqualTo(204);
      RawResponse refused = client.get("/api/v1/free", token).readResponse();
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.text()).contains("rate_limited");
      assertThat(refused.header("retry-after")).isEqualTo("1");
      int admitted = 0;
      while (client.get("/api/v1/free").readResponse().status() == 204) {
        admitted++;
      }
      assertThat(admitted).isGreaterThanOrEqualTo(10);
    }
  }

  @Test
  void aPublicUrlNamesHostAndOrigin() {
    HttpUrl url = HttpUrl.parse("https://console.example").orElseThrow();
    try (TestControl control = new TestControl(handlers(), TestControl.options(url, 64, 1_000));
        RawClient client = control.connect()) {
      client.send("GET /api/v1/free HTTP/1.1\r\nHost: console.example\r\n\r\n");
      assertThat(client.readResponse().status()).isEqualTo(204);
    }
    var hosts = new AllowedHosts(TestControl.options(url, 1, 1).address(), url, false);
    var headers = Headers.of("Host", "localhost");
    assertThat(hosts.isOwnOrigin("https://console.example", headers)).isTrue();
    assertThat(hosts.isOwnOrigin("https://console.example:444", headers)).isFalse();
    assertThat(hosts.isOwnOrigin("http://localhost", headers)).isFalse();
    assertThat(TestControl.options(url, 1, 1).sessionCookie().name())
        .isEqualTo("__Host-tollgate_session");
  }

  @Test
  void aDrainAnswersWhatRunsAndThenCloses() throws Exception {
    try (TestControl control = new TestControl(handlers());
        RawClient held = control.connect()) {
      held.get("/api/v1/held");
      assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
      control.listener.gateway().stopAccepting();
      var drained = control.listener.gateway().closed().toCompletableFuture();
      assertThat(drained).isNotDone();
      release.countDown();
      RawResponse last = held.readResponse();
      assertThat(last.status()).isEqualTo(204);
      assertThat(last.header("connection")).isEqualTo("close");
      held.close();
      drained.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void requestsAreCountedByRouteAndStatus() throws Exception {
    try (TestControl control = new TestControl(handlers())) {
      try (RawClient client = control.connect()) {
        var _ = client.get("/api/v1/free").readResponse();
        var _ = client.get("/api/v1/unknown").readResponse();
        var _ = client.get("/api/v1/free").readResponse();
      }
      control.close();
      assertThat(control.metrics.scrape(null).text())
          .contains("tollgate_control_requests_total{route=\"GET /api/v1/free\",status=\"204\"} 2")
          .contains("tollgate_control_requests_total{route=\"other\",status=\"404\"} 1")
          .contains("tollgate_control_seconds_count 3");
    }
  }

  /** The verdicts are those of the API listener, but a Host that is not ours is 400. */
  @Tag("corpus")
  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.tollgate.core.testkit.FramingRow#all")
  void verdict(FramingRow row) {
    try (TestControl control = new TestControl(handlers());
        RawClient client = control.connect().within(Duration.ofSeconds(12))) {
      client.send(
          row.bytes().replace("\r\nHost: a\r\n", "\r\nHost: localhost\r\n").getBytes(ISO_8859_1));
      switch (row.verdict()) {
        case "reject", "400", "413" -> {
          RawResponse refused = client.readResponse();
          assertThat(refused.status()).isBetween(400, 499);
          if (row.id().equals("h-auth-comma")) { // refused where keys are, after the framing
            return;
          }
          assertThat(refused.header("connection")).isEqualTo("close");
          assertThat(refused.header("cache-control")).isEqualTo("no-store");
          assertThat(client.readToEnd()).isEmpty();
        }
        case "404" -> assertThat(client.readResponse().status()).isEqualTo(404);
        case "close", "incomplete" ->
            assertThat(new String(client.halfClose().readToEnd(), ISO_8859_1))
                .doesNotContain(" 200 ");
        case "ok1", "drop" -> assertAnswers(client, 1);
        case "ok2" -> assertAnswers(client, 2);
        case "either" -> assertThat(client.readResponse().status()).isLessThan(500);
        default -> throw new AssertionError("unknown verdict " + row.verdict());
      }
    }
  }

  private static void assertAnswers(RawClient client, int count) {
    for (int i = 0; i < count; i++) {
      RawResponse response = client.readResponse();
      assertThat(response.status() == 100 ? client.readResponse().status() : response.status())
          .isBetween(400, 499);
    }
  }
}
