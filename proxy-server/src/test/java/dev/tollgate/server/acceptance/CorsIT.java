package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Pages of other origins against the real program, and probes of its load balancer. */
class CorsIT {
  private static final String APP = "https://app.example.com";
  private static final String ORIGIN = "Origin: " + APP;
  private static final String FOREIGN = "Origin: https://other.example.com";

  /** What browsers show of every reply, and what no page reads: framing, and CORS itself. */
  private static final Set<String> NOT_TO_EXPOSE =
      Set.of(
          "cache-control",
          "content-length",
          "content-type",
          "connection",
          "date",
          "server",
          "transfer-encoding",
          "vary",
          "x-accel-buffering");

  private static final GatewayProcess NODE =
      SharedNode.beside(
          SharedNode.setup()
              .control()
              .listen(
                  Map.of(
                      "health_path",
                      "/healthz",
                      "max_request_bytes",
                      "1KiB",
                      "cors",
                      Map.of("origins", List.of(APP), "max_age", "2m"))),
          List.of());

  @AfterAll
  static void stop() {
    NODE.close();
  }

  private static RawResponse chat(String body, String... headers) {
    try (RawClient client = NODE.connect()) {
      return client.post(ChatRequests.PATH, body, headers).readResponse();
    }
  }

  private static void requireReadable(RawResponse response, int status) {
    assertThat(response.status()).as(response.text()).isEqualTo(status);
    assertThat(response.headers("access-control-allow-origin")).containsExactly(APP);
    assertThat(response.headers("vary")).containsExactly("Origin");
    assertThat(response.header("access-control-allow-credentials")).isNull();
    String exposed = response.header("access-control-expose-headers");
    assertThat(exposed).isNotNull();
    List<String> names = List.of(exposed.toLowerCase(Locale.ROOT).split(", "));
    for (String line : response.rawText().split("\r\n\r\n", 2)[0].split("\r\n", -1)) {
      String name = line.split(":", 2)[0].toLowerCase(Locale.ROOT);
      if (line.contains(": ") && !NOT_TO_EXPOSE.contains(name) && !name.startsWith("access-")) {
        assertThat(names).contains(name);
      }
    }
  }

  @Test
  void everyReplyToAnAllowedPageIsReadable() {
    String body = ChatRequests.body("test/chat", false);
    String key = SharedNode.authorization();
    requireReadable(chat(body, ORIGIN, key), 200);
    requireReadable(chat(ChatRequests.body("test/chat", true), ORIGIN, key), 200);
    requireReadable(chat(body, ORIGIN), 401);
    requireReadable(chat("{}", ORIGIN, key), 400);
    requireReadable(chat(ChatRequests.body("no/model", false), ORIGIN, key), 404);
    requireReadable(chat(ChatRequests.body("test/rate-limited", false), ORIGIN, key), 429);
    requireReadable(chat(ChatRequests.body("test/broken", false), ORIGIN, key), 503);
    requireReadable(chat("x".repeat(1025), ORIGIN, key), 413);
    try (RawClient client = NODE.connect()) {
      client.send("GET /v1/models HTTP/1.1\r\nHost: a\r\n" + ORIGIN + "\r\nBad field: x\r\n\r\n");
      requireReadable(client.readResponse(), 400);
    }
    RawResponse foreign = chat(body, FOREIGN, key);
    assertThat(foreign.status()).isEqualTo(200);
    assertThat(foreign.header("access-control-allow-origin")).isNull();
  }

  @Test
  void aPreflightOfAnAllowedPageNeedsNoKey() {
    String asks =
        "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x\r\n\r\n";
    String head = "OPTIONS " + ChatRequests.PATH + " HTTP/1.1\r\nHost: a\r\n";
    try (RawClient client = NODE.connect()) {
      RawResponse allowed = client.send(head + ORIGIN + "\r\n" + asks).readResponse();
      requireReadable(allowed, 204);
      assertThat(allowed.header("access-control-allow-headers")).isEqualTo("x");
      assertThat(allowed.header("access-control-max-age")).isEqualTo("120");
      RawResponse foreign = client.send(head + FOREIGN + "\r\n" + asks).readResponse();
      assertThat(foreign.status()).isEqualTo(404);
      assertThat(foreign.header("vary")).isEqualTo("Origin");
      assertThat(foreign.header("access-control-allow-origin")).isNull();
    }
  }

  @Test
  void theControlPlaneHasNone() throws Exception {
    String asks = "Access-Control-Request-Method: POST\r\n\r\n";
    String head = "OPTIONS /control/v1/session HTTP/1.1\r\nHost: a\r\n" + ORIGIN + "\r\n";
    try (RawClient client = RawClient.connect(NODE.dashboard().getPort())) {
      RawResponse response = client.send(head + asks).readResponse();
      assertThat(response.status()).isGreaterThanOrEqualTo(400);
      assertThat(response.header("access-control-allow-origin")).isNull();
    }
  }

  @Test
  void probesAreNotInTheAccessLog() throws Exception {
    try (RawClient client = RawClient.connect(NODE.port())) {
      RawResponse probe = client.get("/healthz").readResponse();
      assertThat(probe.text()).isEqualTo("ok\n");
      RawResponse other = client.get("/health").readResponse();
      var log = new AccessLines(NODE, Duration.ofSeconds(20));
      assertThat(log.outcome(other)).isEqualTo("rejected");
      assertThat(NODE.err().text()).doesNotContain(probe.header("x-request-id"));
    }
  }
}
