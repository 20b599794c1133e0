package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.PeerClose;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every fault has its documented effect on a stream's bytes; every fault has a check. */
class FaultWireTest {
  private static final PeerClose.How FIN = PeerClose.How.FIN;
  private static final PeerClose.How RST = PeerClose.How.RST;
  private static final String CONTENT = "\"delta\":{\"content\":\"";
  @RegisterExtension static final RunningMock MOCK = new RunningMock();
  private final Map<String, Check> checks = new LinkedHashMap<>();

  private interface Check {
    void run(RawClient client) throws Exception;
  }

  @TestFactory
  Stream<DynamicTest> everyFaultHasItsDocumentedEffect() {
    statuses();
    heads();
    bodies();
    events();
    usages();
    framings();
    return FaultCatalog.all().stream()
        .map(fault -> fault.spec().wireName())
        .map(name -> DynamicTest.dynamicTest(name, () -> check(name)));
  }

  private void check(String name) throws Exception {
    Check check = Objects.requireNonNull(checks.get(name), "a fault without a check");
    try (RawClient client = ask("fault/" + name, true)) {
      check.run(client);
    }
  }

  private void statuses() {
    refused("429", 429, "Retry-After: 2", "rate_limit_exceeded");
    whole(
        "429-bare",
        r -> assertThat(r.status() + " " + r.header("retry-after")).isEqualTo("429 null"));
    refused("429-quota", 429, "application/json", "insufficient_quota");
    refused("401", 401, "application/json", "invalid_api_key");
    refused("500", 500, "application/json", "server_error");
    refused("503", 503, "application/json", "overloaded");
    refused("status", 500, "application/json", "status_500");
    refused("context-length", 400, "application/json", "context_length_exceeded");
    refused("content-filter", 400, "application/json", "content_filter");
    refused("302", 302, "Location: http://169.254.169.254/", "moved");
    refused("wrong-content-type", 200, "Content-Type: text/html", "<!DOCTYPE html>");
    refused("502-html", 502, "Content-Type: text/html", "<html>");
    refused("error-200", 200, "Content-Type: application/json", "{\"error\":");
  }

  private void heads() {
    ends("reset-before-head", RST, raw -> assertThat(raw).isEmpty());
    ends("close-before-head", FIN, raw -> assertThat(raw).isEmpty());
    quiet("silent", "");
    ends("cut-head", FIN, raw -> assertThat(raw).isEqualTo("HTTP/1.1 200 OK\r\nCon"));
    checks.put("slow-head", FaultWireTest::slowHead);
    checks.put("early", FaultWireTest::early);
    whole("huge-head", r -> assertThat(r.header("x-huge")).hasSize(64 << 10));
    whole("many-headers", r -> assertThat(r.headerLines()).hasSizeGreaterThan(200));
    ends("not-http", FIN, raw -> assertThat(raw).isEqualTo("SSH-2.0-mock\r\n"));
    checks.put(
        "informational",
        client -> {
          assertThat(client.readResponse().status()).isEqualTo(103);
          assertHealthy(client.readResponse());
        });
    whole("switching", r -> assertThat(r.status()).isEqualTo(101));
    whole("two-lengths", r -> assertThat(r.headers("content-length")).hasSize(2).contains("1"));
    ends("negative-length", FIN, raw -> assertThat(raw).contains("Content-Length: -1\r\n"));
    whole(
        "length-and-chunked",
        r -> assertThat(r.rawText()).contains("Content-Length: 5", "Transfer-Encoding: chunked"));
    stale("stale", FIN);
    stale("stale-reset", RST);
  }

  private void bodies() {
    quiet("silent-after-head", "\r\n\r\n");
    whole("empty", r -> assertThat(r.rawText()).endsWith("chunked\r\n\r\n0\r\n\r\n"));
    quiet("stall", CONTENT, CONTENT, CONTENT, CONTENT, "null}\n\n\r\n");
    ends("cut-fin", FIN, raw -> assertCut(raw, "\n\n\r\n"));
    ends("cut-rst", RST, raw -> assertCut(raw, "\n\n\r\n"));
    ends("cut-chunk", FIN, raw -> assertCut(raw, "\n\n\r\nzz\r\n"));
    ends("chunk-bare-lf", FIN, raw -> assertThat(raw).contains("\n\n\r\n5\nhello\r\n"));
    ends("chunk-overflow", FIN, raw -> assertThat(raw).contains("\r\n10000000000000005\r\n"));
    whole("cut-clean", r -> assertCut(r.rawText(), "\n\n\r\n0\r\n\r\n"));
    ends("cut-byte", FIN, raw -> assertThat(raw).hasSize(700));
    ends("cut-byte-rst", RST, raw -> assertThat(raw).hasSize(700));
    checks.put(
        "stall-byte",
        client -> {
          assertThat(client.peekAtLeast(700)).isEqualTo(700);
          assertThat(MOCK.provider().stats().inFlight()).isOne();
        });
    whole("byte-writes", FaultWireTest::assertHealthy);
    checks.put("drip", FaultWireTest::drip);
    checks.put("drip-event", FaultWireTest::dripEvent);
    whole("gzip", FaultWireTest::gzip);
    whole("br", r -> assertThat(r.header("content-encoding")).isEqualTo("br"));
    whole("chunk-extension", r -> assertThat(r.rawText()).contains(";x=\"y\"\r\ndata: {"));
    whole("trailers", r -> assertThat(r.rawText()).endsWith("\r\n0\r\nX-Trailer: 1\r\n\r\n"));
    ends("until-close", FIN, raw -> assertThat(raw).doesNotContain("-Length", "chunked"));
    ends("http-1-0", FIN, raw -> assertThat(raw).startsWith("HTTP/1.0 200 OK").contains("[DONE]"));
    ends("short-body", FIN, raw -> assertThat(surplus(raw)).isEqualTo(-10));
    ends(
        "cut-length",
        FIN,
        raw -> {
          assertThat(contents(raw)).isEqualTo(4);
          assertThat(surplus(raw)).isEqualTo(-99);
        });
    checks.put(
        "long-body",
        client -> {
          assertThat(client.readResponse().text()).doesNotContain("[DONE]");
          client.readUntil("NE]\n\n");
        });
    checks.put(
        "second-reply",
        client -> {
          assertHealthy(client.readResponse());
          assertThat(client.readResponse().text()).isEqualTo("poison");
        });
  }

  private void events() {
    contains("error-first", "data: {\"error\":");
    contains("error-event-first", "event: error\ndata: {\"error\":");
    whole(
        "error-midway",
        r -> {
          assertThat(contents(r.rawText())).isEqualTo(4);
          assertThat(r.events().reversed().get(1)).startsWith("data: {\"error\":");
        });
    whole("error-event-midway", r -> assertThat(r.events().getLast()).startsWith("event: error"));
    whole(
        "error-after-finish",
        r -> assertThat(r.text()).contains("\"stop\"").endsWith("\"overloaded\"}}\n\n"));
    contains("finish-error", "\"finish_reason\":\"error\"");
    contains("finish-network-error", "\"finish_reason\":\"network_error\"");
    quiet("pings-only", ": keep-alive\n\n", ": keep-alive\n\n", ": keep-alive\n\n");
    contains("malformed", "data: {\"id\":\"broken\",\n\n");
    whole("malformed-run", r -> assertThat(r.text().split("\"delta\":}", -1)).hasSize(4));
    whole("invalid-utf8", r -> assertThat(r.rawText()).contains("\"content\":\"\u00ff\""));
    contains("wrong-shape", "data: []", "data: null", "\"choices\":null", "\"index\":7");
    contains("no-choices", "{\"id\":\"x\",\"object\":\"x\"}");
    contains("ids-differ", "\"id\":\"other-", "\"model\":\"other\\r\\nX-Injected: ");
    whole("no-done", r -> assertThat(r.text()).contains("\"stop\"").doesNotContain("[DONE]"));
    whole("no-finish", r -> assertThat(r.text()).contains("[DONE]").doesNotContain("\"stop\""));
    whole("finish-only", r -> assertThat(r.events().getLast()).contains("\"stop\""));
    whole("content-after-done", r -> assertThat(r.events().getLast()).contains(CONTENT));
    whole("big-line", r -> assertThat(r.events().get(2).length()).isGreaterThan(16 << 20));
    checks.put(
        "endless-line",
        client -> {
          client.readUntil("data: {\"pad\":\"");
          assertThat(client.peekAtLeast(1 << 20)).isGreaterThanOrEqualTo(1 << 20);
        });
  }

  private void usages() {
    whole("no-usage", r -> assertThat(r.text()).doesNotContain("prompt_tokens"));
    contains("usage-own-chunk", "\"choices\":[],\"usage\":{\"prompt_tokens\":");
    contains("usage-on-finish", "\"finish_reason\":\"stop\"}],\"usage\":{");
    contains(
        "usage-empty-delta", "\"delta\":{},\"logprobs\":null,\"finish_reason\":null}],\"usage\":{");
    whole("usage-cumulative", r -> assertThat(r.text().split("\"prompt_tokens\"", -1)).hasSize(9));
    contains("usage-nulls", "\"usage\":null", "\"choices\":[],\"usage\":{\"prompt");
    contains("usage-empty", "\"choices\":[],\"usage\":{}");
    contains("usage-x-groq", "\"x_groq\":{\"id\":\"req_mock\",\"usage\":{\"prompt_tokens\":");
    whole(
        "usage-early",
        r -> assertThat(r.text().indexOf("\"usage\":{")).isLessThan(r.text().indexOf("\"stop\"")));
    checks.put("usage-late", FaultWireTest::usageLate);
    contains("usage-twice", "\"total_tokens\":2}", "\"completion_tokens\":8,");
    contains("usage-zero", "\"total_tokens\":0}");
    contains("usage-negative", "\"prompt_tokens\":-5");
    contains("usage-absurd", "\"prompt_tokens\":1000000000000");
    contains("usage-text", "\"prompt_tokens\":\"12\",\"completion_tokens\":3.5");
  }

  private void framings() {
    contains("sse-crlf", "data: [DONE]\r\n\r\n");
    contains("sse-cr", "data: [DONE]\r\r");
    contains("sse-no-space", "data:{", "data:[DONE]\n\n");
    contains("sse-multi-line", "data: {\ndata: \"id\"", "\ndata: }\n\n");
    contains("sse-comments", ": PROCESSING\n\n:\n: keep-alive\ndata: ");
    contains("sse-fields", "\ufeffevent: message\nid: 0\nretry: 1000\nunknown: x\ndata: {");
    contains("sse-blanks", "data: [DONE]\n\n\n\ndata:\n\n");
  }

  @Test
  void aFaultMayApplyToTheFirstRequestsOnly() {
    try (RawClient client = RawClient.connect(MOCK.port())) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        client.post("/v1/chat/completions", "{\"model\":\"a/fault/500?times=2\"}");
        statuses.add(client.readResponse().status());
      }
      assertThat(statuses).containsExactly(500, 500, 200, 200);
    }
  }

  @Test
  void aTlsHandshakeFailsAtOnce() {
    try (RawClient client = RawClient.connect(MOCK.port())) {
      client.send(new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3});
      assertThat(new String(client.readToEnd(), ISO_8859_1)).startsWith("HTTP/1.1 400 ");
    }
  }

  @Test
  void aFaultMayApplyForALimitedTime() {
    try (RawClient client = RawClient.connect(MOCK.port())) {
      int status = 503;
      for (int failed = 0; status == 503; failed++) {
        client.post("/v1/chat/completions", "{\"model\":\"a/fault/503?for=50ms\"}");
        status = client.readResponse().status();
        assertThat(failed > 0 || status == 503).isTrue();
      }
      assertThat(status).isEqualTo(200);
    }
  }

  private void whole(String name, Consumer<RawResponse> check) {
    checks.put(name, client -> check.accept(client.readResponse()));
  }

  private void refused(String name, int status, String header, String body) {
    whole(
        name,
        response -> {
          assertThat(response.status()).isEqualTo(status);
          assertThat(response.rawText()).contains(header);
          assertThat(response.text()).contains(body);
        });
  }

  private void contains(String name, String... texts) {
    whole(name, response -> assertThat(response.text()).contains(texts));
  }

  private void ends(String name, PeerClose.How how, Consumer<String> check) {
    checks.put(
        name,
        client -> {
          check.accept(new String(client.readToEnd(), ISO_8859_1));
          assertThat(client.awaitClosed().how()).isEqualTo(how);
        });
  }

  /** Requires exactly these bytes and an open connection. */
  private void quiet(String name, String... marks) {
    checks.put(
        name,
        client -> {
          for (String mark : marks) {
            client.readUntil(mark);
          }
          assertThat(
                  MOCK.provider().await(s -> s.inFlight() == 1, Duration.ofSeconds(5)).inFlight())
              .isOne();
          try (RawClient other = RawClient.connect(MOCK.port())) {
            assertThat(other.get("/_mock/stats").readResponse().status()).isEqualTo(200);
          }
          assertThat(name.equals("pings-only") ? 0 : client.arrived()).isZero();
        });
  }

  private void stale(String name, PeerClose.How how) {
    checks.put(
        name,
        client -> {
          assertHealthy(client.readResponse());
          client.post("/v1/chat/completions", "{\"model\":\"m\"}");
          assertThat(client.readToEnd()).isEmpty();
          assertThat(client.awaitClosed().how()).isEqualTo(how);
        });
  }

  private static void slowHead(RawClient client) throws Exception {
    long startNanos = System.nanoTime();
    try (RawClient slow = ask("fault/slow-head:2", true)) {
      assertHealthy(slow.readResponse());
      assertThat(System.nanoTime() - startNanos).isGreaterThan(200_000_000L);
    }
    assertThat(client.arrived()).isLessThan(100);
  }

  private static void drip(RawClient client) throws Exception {
    long startNanos = System.nanoTime();
    try (RawClient slow = ask("fault/drip:21", true)) {
      slow.readUntil("\r\n\r\n");
      slow.peekAtLeast(10);
      assertThat(System.nanoTime() - startNanos).isGreaterThan(8 * 20_000_000L);
    }
    assertThat(client.arrived()).isLessThan(1000);
  }

  private static void dripEvent(RawClient client) throws Exception {
    long startNanos = System.nanoTime();
    try (RawClient slow = ask("fault/drip-event:1?chunks=2", true)) {
      assertHealthyEnd(slow.readResponse());
      assertThat(System.nanoTime() - startNanos).isGreaterThan(150 * 20_000_000L);
    }
    assertThat(client.arrived()).isLessThan(4000);
  }

  private static void assertHealthyEnd(RawResponse response) {
    assertThat(contents(response.rawText())).isEqualTo(2);
    assertThat(response.text()).endsWith("data: [DONE]\n\n");
  }

  /** The head of a long request and the start of its body are enough. */
  private static void early(RawClient client) {
    assertThat(client.readResponse().status()).isEqualTo(413);
    try (RawClient slow = RawClient.connect(MOCK.port())) {
      slow.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n");
      slow.send("{\"model\":\"a/fault/early:401\",\"pad\":\"" + "x".repeat(600));
      assertThat(slow.readResponse().status()).isEqualTo(401);
      slow.send("x".repeat(99_999 - 600 - 36));
      slow.post("/v1/chat/completions", "{\"model\":\"m\"}");
      assertThat(slow.readResponse().status()).isEqualTo(200);
    }
  }

  private static void usageLate(RawClient client) throws Exception {
    assertHealthy(client.readResponse());
    try (RawClient slow = ask("fault/usage-late:50?chunks=1&interval=10ms", true)) {
      slow.readUntil("\"stop\"");
      long finishedNanos = System.nanoTime();
      slow.readUntil("\"usage\":{");
      assertThat(System.nanoTime() - finishedNanos).isGreaterThan(250_000_000L);
      slow.readUntil("[DONE]");
    }
  }

  private static void gzip(RawResponse response) {
    assertThat(response.header("content-encoding")).isEqualTo("gzip");
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
      assertThat(new String(in.readAllBytes(), ISO_8859_1)).endsWith("data: [DONE]\n\n");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertHealthy(RawResponse response) {
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.events()).hasSize(12);
    assertThat(response.text()).endsWith("data: [DONE]\n\n");
  }

  private static void assertCut(String raw, String end) {
    assertThat(contents(raw)).isEqualTo(4);
    assertThat(raw).endsWith("}]," + "\"usage\":null}" + end);
  }

  private static int contents(String raw) {
    return raw.split(Pattern.quote(CONTENT), -1).length - 1;
  }

  /** Returns the number of bytes beyond the reply's Content-Length. */
  private static int surplus(String raw) {
    int head = raw.indexOf("\r\n\r\n") + 4;
    String length = raw.split("Content-Length: ", 2)[1].split("\r\n", 2)[0];
    return raw.length() - head - Integer.parseInt(length);
  }

  private static RawClient ask(String model, boolean stream) {
    return RawClient.connect(MOCK.port())
        .post(
            "/v1/chat/completions",
            """
            {"model":"%s","stream":%s,"stream_options":{"include_usage":true}}"""
                .formatted(model, stream));
  }
}
