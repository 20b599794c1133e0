package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProcessFamily;
import dev.tollgate.server.ops.Health.State;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AdminServerTest {
  private final Health health = new Health();
  private final List<AdminServer> servers = new ArrayList<>();

  @AfterEach
  void close() {
    servers.forEach(AdminServer::close);
  }

  @Test
  void healthIsServedBeforeAnythingElseStarted() throws Exception {
    AdminServer admin = listen(null);

    assertThat(get(admin, "/livez").status()).isEqualTo(200);
    assertThat(get(admin, "/readyz").status()).isEqualTo(503);
    assertThat(get(admin, "/readyz").text()).isEqualTo("starting\n");

    health.transitionTo(State.READY);
    assertThat(get(admin, "/readyz").status()).isEqualTo(200);

    health.addReadinessCheck(() -> Optional.of("ledger: no room"));
    assertThat(get(admin, "/readyz").status()).isEqualTo(503);
    assertThat(get(admin, "/readyz").text()).isEqualTo("ledger: no room\n");

    health.transitionTo(State.DRAINING);
    assertThat(get(admin, "/readyz").status()).isEqualTo(503);
    assertThat(get(admin, "/livez").status()).isEqualTo(200);
  }

  @Test
  void aRouteWithoutAHandlerIsUnavailable() throws Exception {
    AdminServer admin = listen(null);
    assertThat(get(admin, "/config").status()).isEqualTo(503);
    assertThat(get(admin, "/config").text()).contains("\"code\":\"service_unavailable\"");

    admin.handle(AdminRoute.CONFIG, _ -> AdminReply.json("{\"version\":1}"));
    assertThat(get(admin, "/config").text()).isEqualTo("{\"version\":1}");
  }

  @Test
  void metricsAreServedInTheFormatAskedFor() throws Exception {
    var metrics = new Metrics();
    metrics.gauge(ProcessFamily.READY, () -> 1);
    AdminServer admin = listen(null);
    admin.handle(AdminRoute.METRICS, AdminServer.metrics(metrics));

    assertThat(get(admin, "/metrics").text()).contains("tollgate_ready 1.0");
    RawResponse open = get(admin, "/metrics?x=y", "Accept: application/openmetrics-text");
    assertThat(open.text()).endsWith("# EOF\n");
    assertThat(open.header("content-type")).startsWith("application/openmetrics-text");
  }

  @Test
  void aTokenGuardsEverythingButHealth() throws Exception {
    AdminServer admin = listen(new Secret("s3cret"));
    for (AdminRoute route : AdminRoute.values()) {
      admin.handle(route, _ -> AdminReply.text(200, "in"));
    }

    for (AdminRoute route : AdminRoute.values()) {
      int open = route.access() == AdminRoute.Access.OPEN ? 200 : 401;
      assertThat(ask(admin, route).status()).isEqualTo(open);
      assertThat(ask(admin, route, "Authorization: Bearer s3creT").status()).isEqualTo(open);
      assertThat(ask(admin, route, "Authorization: Basic s3cret").status()).isEqualTo(open);
      assertThat(ask(admin, route, "Authorization: Bearer s3cret").status()).isEqualTo(200);
    }
    assertThat(get(admin, "/config").text())
        .contains("\"type\":\"authentication_error\"", "\"code\":\"unauthenticated\"")
        .doesNotContain("s3cret");
  }

  @Test
  void anythingElseIsNotFoundWithTheEnvelope() throws Exception {
    AdminServer admin = listen(null);

    RawResponse response = get(admin, "/v1/models");
    assertThat(response.status()).isEqualTo(404);
    assertThat(response.text())
        .contains("\"code\":\"not_found\"", "\"type\":\"not_found_error\"")
        .contains("\"request_id\":\"" + response.header("x-request-id") + "\"");
    assertThat(get(admin, "/-/drain").status()).isEqualTo(404);
    assertThat(get(admin, "/livez/").status()).isEqualTo(404);
  }

  @Test
  void aWebPageCannotDrainTheNode() throws Exception {
    AdminServer admin = listen(null);
    admin.handle(AdminRoute.DRAIN, _ -> AdminReply.text(200, "draining"));

    assertThat(ask(admin, AdminRoute.DRAIN, "Origin: https://evil.example").status())
        .isEqualTo(403);
    assertThat(ask(admin, AdminRoute.DRAIN).status()).isEqualTo(200);
  }

  @Test
  void aPageWhoseNameResolvesHereReadsNothing() throws Exception {
    AdminServer admin = listen(null);
    for (AdminRoute route : AdminRoute.values()) {
      admin.handle(route, _ -> AdminReply.text(200, "in"));
      for (String host :
          List.of("evil.example", "evil.example:9901", "localhost.evil", "[::1", "")) {
        assertThat(statusFor(admin, route, "Host: " + host)).as(host).isEqualTo(403);
      }
      assertThat(statusFor(admin, route, "Host: localhost\r\nHost: evil.example")).isEqualTo(403);
      for (String host :
          List.of("localhost", "LOCALHOST:9901", "127.0.0.1:9901", "[::1]:1", "10.1.2.3")) {
        assertThat(statusFor(admin, route, "Host: " + host)).as(host).isEqualTo(200);
      }
    }
  }

  @Test
  void whoHasATokenMayNameTheListenerAsItLikes() throws Exception {
    AdminServer admin = listen(new Secret("s3cret"));
    admin.handle(AdminRoute.CONFIG, _ -> AdminReply.text(200, "in"));

    String token = "\r\nAuthorization: Bearer s3cret";
    assertThat(statusFor(admin, AdminRoute.CONFIG, "Host: tollgate.internal" + token))
        .isEqualTo(200);
    assertThat(statusFor(admin, AdminRoute.LIVEZ, "Host: tollgate.internal")).isEqualTo(200);
  }

  private static int statusFor(AdminServer admin, AdminRoute route, String hosts) {
    try (var client = RawClient.connect(admin.address().getPort())) {
      client.send(
          route.method()
              + " "
              + route.path()
              + " HTTP/1.1\r\nContent-Length: 0\r\n"
              + hosts
              + "\r\n\r\n");
      return client.readResponse().status();
    }
  }

  @Test
  void idleConnectionsGiveWayToProbesAndRequestsInWorkDoNot() throws Exception {
    var metrics = new Metrics();
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    AdminServer admin = listen(null);
    admin.register(metrics);
    admin.handle(
        AdminRoute.PROVIDERS,
        _ -> {
          begun.countDown();
          go.await();
          return AdminReply.text(200, "at last");
        });
    List<RawClient> idle = new ArrayList<>();
    try (var slow = RawClient.connect(admin.address().getPort()).get("/providers")) {
      begun.await();
      for (int i = 0; i < 130; i++) {
        idle.add(RawClient.connect(admin.address().getPort()).send("G"));
        if (i % 13 == 0) {
          assertThat(get(admin, "/livez").status()).isEqualTo(200);
        }
      }
      assertThat(get(admin, "/livez").status()).isEqualTo(200);
      idle.getFirst().awaitClosed();
      go.countDown();
      assertThat(slow.readResponse().text()).isEqualTo("at last\n");
    } finally {
      go.countDown();
      idle.forEach(RawClient::close);
    }
    String all = metrics.scrape(null).text();
    assertThat(all).containsPattern("tollgate_admin_connections_evicted_total [1-9]");
  }

  @Test
  void aFailedHandlerIsReportedWithoutDetails() throws Exception {
    AdminServer admin = listen(null);
    admin.handle(
        AdminRoute.PROVIDERS,
        _ -> {
          throw new IllegalStateException("inner words");
        });

    RawResponse response = get(admin, "/providers");
    assertThat(response.status()).isEqualTo(500);
    assertThat(response.text())
        .contains("\"code\":\"internal_error\"")
        .doesNotContain("inner words");
  }

  @Test
  void requestsSentTogetherAreAnsweredInOrder() throws Exception {
    AdminServer admin = listen(null);
    admin.handle(AdminRoute.PROVIDERS, _ -> AdminReply.text(200, "slow"));

    try (var client = RawClient.connect(admin.address().getPort())) {
      String get = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n";
      client.send(get.formatted("/providers") + get.formatted("/livez"));

      assertThat(client.readResponse().text()).isEqualTo("slow\n");
      assertThat(client.readResponse().text()).isEqualTo("ok\n");
    }
  }

  @Test
  void aConnectionServesOneRequestAfterTheOther() throws Exception {
    AdminServer admin = listen(null);
    admin.handle(AdminRoute.PROVIDERS, _ -> AdminReply.text(200, "slow"));

    try (var client = RawClient.connect(admin.address().getPort())) {
      for (int i = 0; i < 3; i++) {
        assertThat(client.get("/livez").readResponse().text()).isEqualTo("ok\n");
        assertThat(client.get("/providers").readResponse().text()).isEqualTo("slow\n");
      }
    }
  }

  @Test
  void slowAnswersAreBoundedAndNeverDelayHealth() throws Exception {
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(8);
    AdminServer admin = listen(null);
    admin.handle(
        AdminRoute.PROVIDERS,
        _ -> {
          begun.countDown();
          go.await();
          return AdminReply.text(200, "at last");
        });
    List<RawClient> slow = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      slow.add(RawClient.connect(admin.address().getPort()).get("/providers"));
    }
    begun.await();

    assertThat(get(admin, "/providers").status()).isEqualTo(503);
    assertThat(get(admin, "/livez").status()).isEqualTo(200);

    go.countDown();
    for (RawClient client : slow) {
      assertThat(client.readResponse().status()).isEqualTo(200);
      client.close();
    }
  }

  @Test
  void whatIsNotHttpIsRefusedAndClosed() throws Exception {
    AdminServer admin = listen(null);

    try (var client = RawClient.connect(admin.address().getPort())) {
      client.send("\u0001nonsense\r\n\r\n");
      assertThat(client.readResponse().status()).isEqualTo(400);
      client.awaitClosed();
    }
  }

  @Test
  void anAddressInUseIsNamedInOneLine() throws Exception {
    AdminServer admin = listen(null);

    assertThatThrownBy(() -> AdminServer.listen(admin.address(), null, health))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on /127.0.0.1:" + admin.address().getPort());
  }

  private AdminServer listen(@Nullable Secret token) throws IOException, InterruptedException {
    var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var admin = AdminServer.listen(loopback, token, health);
    servers.add(admin);
    return admin;
  }

  private static RawResponse get(AdminServer admin, String path, String... headers) {
    try (var client = RawClient.connect(admin.address().getPort())) {
      return client.get(path, headers).readResponse();
    }
  }

  private static RawResponse ask(AdminServer admin, AdminRoute route, String... headers) {
    if (route.method().equals("GET")) {
      return get(admin, route.path(), headers);
    }
    try (var client = RawClient.connect(admin.address().getPort())) {
      return client.post(route.path(), "", headers).readResponse();
    }
  }
}
