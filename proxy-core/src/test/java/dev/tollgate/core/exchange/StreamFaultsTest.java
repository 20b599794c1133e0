package dev.tollgate.core.exchange;

import static dev.tollgate.core.exchange.TwoWordStream.DONE;
import static dev.tollgate.core.exchange.TwoWordStream.TWO_WORDS;
import static dev.tollgate.core.exchange.TwoWordStream.USED;
import static dev.tollgate.core.testkit.OpenAiWire.STREAM_HEAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.ProviderTimeouts;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The catalogue of provider faults, injected as bytes at the provider's end: what the client sees,
 * what is charged, whether another provider is asked, and how the record ends.
 */
@Tag("corpus")
class StreamFaultsTest {
  /** Rows that other tests hold, and where. */
  private static final Map<String, String> ELSEWHERE =
      Map.ofEntries(
          Map.entry("U01", "refusedConnections below"),
          Map.entry("U02", "blackHoles below"),
          Map.entry("U03", "SocketsTest: certificates need a TLS server"),
          Map.entry("U04", "SocketsTest: names need a resolver"),
          Map.entry("U06", "RetriesTest: a reused connection that went stale"),
          Map.entry("U13", "interimResponses below"),
          Map.entry("U18", "RetriesTest: Retry-After"),
          Map.entry("U28", "RetriesTest: an early error while the body is still being sent"),
          Map.entry("U40", "EveryCutTest: every byte offset"),
          Map.entry("U44", "ClocksTest: one event may take twice idle"),
          Map.entry("U47", "ChatStreamTest: an event that cannot be read breaks the stream"),
          Map.entry("U48", "ChatStreamTest: bytes that are not UTF-8"),
          Map.entry("U50", "SseEncodingsTest, SseCorpusTest: the grammar of event streams"),
          Map.entry("U51", "EveryCutTest: every split"),
          Map.entry("U70", "needs HTTP/2, which comes later"),
          Map.entry("U71", "needs HTTP/2, which comes later"),
          Map.entry("U72", "needs HTTP/2, which comes later"),
          Map.entry("U73", "PlainFaultsTest"),
          Map.entry("U74", "FaultRowsIT, CircuitTest: it takes more than one request"),
          Map.entry("U75", "RetriesTest: the reply names who served"));

  // Before content: another provider, else an HTTP error

  static Stream<String> beforeContent() {
    return FAULTS_BEFORE_CONTENT.keySet().stream().sorted();
  }

  private static final Map<String, Consumer<ProviderLink>> FAULTS_BEFORE_CONTENT =
      Map.ofEntries(
          Map.entry("U05", ProviderLink::reset),
          Map.entry("U07", ProviderLink::fin),
          Map.entry("U08", link -> link.send("HTTP/1.1 200 OK\r\nContent-").fin()),
          Map.entry("U09", link -> {}),
          Map.entry("U10", link -> link.send("HTTP/1.1 2")),
          Map.entry("U11", link -> link.send("HTTP/1.1 200 OK\r\nX: " + "y".repeat(40_000))),
          Map.entry("U12", link -> link.send("SSH-2.0-OpenSSH_9.6\r\n")),
          Map.entry("U14", link -> link.send("HTTP/1.1 101 Switching Protocols\r\n\r\n")),
          Map.entry(
              "U15",
              link ->
                  link.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n")),
          Map.entry("U17", link -> link.send(OpenAiWire.error(503, "overloaded", "busy"))),
          Map.entry(
              "U19",
              link -> link.send(OpenAiWire.error(429, "Retry-After: 9\r\n", "rate_limit", "slow"))),
          Map.entry(
              "U20",
              link -> link.send(OpenAiWire.error(400, "context_length_exceeded", "too long"))),
          Map.entry("U21", link -> link.send(OpenAiWire.error(400, "content_filter", "not nice"))),
          Map.entry(
              "U22", link -> link.send(OpenAiWire.error(401, "invalid_api_key", "bad sk-secret"))),
          Map.entry("U23", link -> link.send(OpenAiWire.error(404, "model_not_found", "which?"))),
          Map.entry(
              "U24",
              link ->
                  link.send(
                      OpenAiWire.response(
                          302, "Found", "Location: http://169.254.169.254/\r\n", ""))),
          Map.entry("U25", link -> link.send("HTTP/1.1 204 No Content\r\n\r\n")),
          Map.entry(
              "U26",
              link ->
                  link.send(OpenAiWire.response(200, "OK", "", "{\"error\":{\"message\":\"x\"}}"))),
          Map.entry(
              "U27",
              link ->
                  link.send(
                      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nhtml")),
          Map.entry("U30", link -> link.send(STREAM_HEAD)),
          Map.entry("U31", link -> link.send(STREAM_HEAD + OpenAiWire.LAST_CHUNK)),
          Map.entry(
              "U32",
              link ->
                  link.send(
                      STREAM_HEAD
                          + OpenAiWire.event("{\"error\":{\"message\":\"x\",\"code\":500}}"))),
          Map.entry("U33", link -> link.send(STREAM_HEAD + OpenAiWire.chunk(": ping\n\n"))),
          Map.entry(
              "U34", link -> link.send(STREAM_HEAD + OpenAiWire.event(OpenAiWire.role())).fin()),
          Map.entry(
              "U55",
              link ->
                  link.send(
                      STREAM_HEAD.replace("Transfer-", "Content-Encoding: gzip\r\nTransfer-"))));

  @ParameterizedTest
  @MethodSource("beforeContent")
  void aFaultBeforeContentBecomesAStatusIfNoOtherProviderCanServe(String id) {
    FaultRow row = FaultRow.of(id);
    try (var scenario = Scenario.of(TestCatalog.of(quick("alpha")))) {
      RecordedClient client = scenario.askStream();
      failAll(scenario, client, of(FAULTS_BEFORE_CONTENT, id));

      Fault fault = client.fault();
      if (!id.equals("U21") && !id.equals("U32")) { // rows that leave the code open
        assertThat(fault.code().wire()).as(row.clientSees()).isEqualTo(row.code());
        assertThat(fault.code().status()).isEqualTo(row.status());
      }
      assertThat(client.isOpened()).as("the head was held back").isFalse();
      assertThat(fault.provider()).hasToString("alpha");
      assertThat(fault.message()).doesNotContain("sk-secret");
      assertThat(scenario.served().cost().value()).as(row.charge()).isZero();
      assertThat(scenario.served().attempts()).hasSizeBetween(1, 2);
      assertThat(scenario.record().status()).isEqualTo(fault.code().status());
      if (!id.equals("U32")) {
        assertThat(scenario.record().outcome()).isEqualTo(row.ending());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("beforeContent")
  void aFaultBeforeContentLetsAnotherProviderServeWhereThatMayHelp(String id) {
    FaultRow row = FaultRow.of(id);
    try (var scenario = Scenario.of(TestCatalog.of(quick("alpha"), quick("beta")))) {
      RecordedClient client = scenario.askStream();
      of(FAULTS_BEFORE_CONTENT, id).accept(scenario.link(0));
      passUntil(scenario, () -> scenario.links() > 1 || client.isAnswered());

      assertThat(scenario.links() > 1).as(row.failover()).isEqualTo(row.failsOver());
      if (row.failsOver()) {
        assertThat(scenario.link(1).host()).isEqualTo("beta.example");
        scenario.link(1).send(STREAM_HEAD + OpenAiWire.wholeStream("fine"));
        assertThat(client.answer()).isEqualTo(new Answer.Streamed());
        assertThat(client.text()).contains("fine", "\"provider\":\"beta\"");
        assertThat(client.text()).doesNotContain("alpha");
        assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
        assertThat(scenario.served().attempts()).hasSize(2);
        assertThat(scenario.served().cost().value()).isEqualTo(9);
        assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      }
      assertThat(scenario.link(0).isOpen() && row.failsOver() && isBroken(id)).isFalse();
    }
  }

  /** A provider whose silence is noticed before a waiting stream is opened. */
  private static Provider quick(String name) {
    return TestCatalog.withClocks(
        name,
        c ->
            new ProviderTimeouts(
                c.connect(), Duration.ofSeconds(5), Duration.ofSeconds(10), c.idle(), c.total()));
  }

  private static <T> T of(Map<String, T> table, String id) {
    T entry = table.get(id);
    if (entry == null) {
      throw new AssertionError("nothing for " + id);
    }
    return entry;
  }

  /** Faults of the connection, after which it must not serve again. */
  private static boolean isBroken(String id) {
    return !Set.of("U17", "U19", "U20", "U21", "U22", "U23", "U24", "U25", "U26", "U31")
        .contains(id);
  }

  /** Fails every attempt, on any connection. */
  private static void failAll(
      Scenario scenario, RecordedClient client, Consumer<ProviderLink> fault) {
    for (int n = 0; !client.isAnswered(); n++) {
      int asked = n;
      passUntil(scenario, () -> scenario.requests() > asked || client.isAnswered());
      if (!client.isAnswered()) {
        fault.accept(scenario.lastRequestLink());
      }
    }
  }

  private static void passUntil(Scenario scenario, BooleanSupplier done) {
    for (int n = 0; n < 1_000 && !done.getAsBoolean(); n++) {
      scenario.passMillis(100);
    }
    assertThat(done.getAsBoolean()).isTrue();
  }

  @Test
  void refusedConnectionsFailOverAndThenBecomeUnavailable() {
    FaultRow row = FaultRow.of("U01");
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.REFUSES);
      scenario.connector().behavior("beta.example", ConnectBehavior.REFUSES);
      RecordedClient client = scenario.askStream();
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo(row.code());
      assertThat(client.fault().code().status()).isEqualTo(row.status());
      assertThat(scenario.served().attempts()).hasSize(3);
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
    }
  }

  @Test
  void aConnectionIntoABlackHoleIsGivenUpAfterTheConnectClock() {
    FaultRow row = FaultRow.of("U02");
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
      RecordedClient client = scenario.askStream();
      scenario.passMillis(1_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.fault().code().wire()).isEqualTo(row.code());
      assertThat(client.fault().code().status()).isEqualTo(row.status());
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
      assertThat(scenario.served().attempts()).as("a silent provider is not repeated").hasSize(1);
    }
  }

  @Test
  void aFewInterimResponsesAreSwallowedAndAFloodIsAFault() {
    String interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send("HTTP/1.1 100 Continue\r\n\r\n" + interim);
      scenario.link(0).send(STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(interim.repeat(100));
      assertThat(scenario.links()).isEqualTo(2);
      scenario.link(1).send(STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.served().attempts().getFirst().outcome()).isEqualTo("unexpected_reply");
    }
  }

  @Test
  void a500OnceIsHealedByTheSameProviderWhereThereIsNoOther() {
    FaultRow row = FaultRow.of("U16");
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "oops"));
      scenario.passMillis(700);
      scenario.link(scenario.links() - 1).send(STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
      assertThat(scenario.served().attempts())
          .extracting("outcome")
          .containsExactly("server_error", "ok");
    }
  }

  // After content: usage, the error, the terminator, and no other attempt

  static Stream<String> afterContent() {
    return FAULTS_AFTER_CONTENT.keySet().stream().sorted();
  }

  private static final Map<String, Consumer<Scenario>> FAULTS_AFTER_CONTENT =
      Map.ofEntries(
          Map.entry("U40", after(TWO_WORDS, ProviderLink::fin)),
          Map.entry("U41", after(TWO_WORDS, ProviderLink::reset)),
          Map.entry("U42", after(TWO_WORDS, link -> link.send(OpenAiWire.LAST_CHUNK))),
          Map.entry(
              "U43",
              scenario -> {
                scenario.link(0).send(TWO_WORDS);
                scenario.passSeconds(30);
              }),
          Map.entry(
              "U45",
              after(
                  TWO_WORDS,
                  link -> {
                    for (int n = 0; n < 6 && link.isOpen(); n++) {
                      link.send(OpenAiWire.chunk((n == 0 ? "data: " : "") + "x".repeat(60_000)));
                    }
                  })),
          Map.entry(
              "U46",
              after(
                  TWO_WORDS,
                  link ->
                      link.send(
                          OpenAiWire.event(
                              OpenAiWire.content("x".repeat(TestCatalog.EVENT_BYTES_MAX)))))),
          Map.entry("U52", after(TWO_WORDS, link -> link.send("zz\r\n"))),
          Map.entry(
              "U57",
              scenario -> {
                String body =
                    OpenAiWire.data(OpenAiWire.content("one"))
                        + OpenAiWire.data(OpenAiWire.content("two"));
                scenario
                    .link(0)
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "
                            + (body.length() + 10)
                            + "\r\n\r\n"
                            + body)
                    .fin();
              }),
          Map.entry(
              "U67",
              after(
                  TWO_WORDS,
                  link ->
                      link.send(
                          OpenAiWire.event("{\"error\":{\"message\":\"sk-secret\"}}") + DONE))),
          Map.entry(
              "U69",
              after(TWO_WORDS, link -> link.send(OpenAiWire.event(OpenAiWire.finish("error"))))));

  private static Consumer<Scenario> after(String bytes, Consumer<ProviderLink> fault) {
    return scenario -> fault.accept(scenario.link(0).send(bytes));
  }

  @ParameterizedTest
  @MethodSource("afterContent")
  void aFaultAfterContentEndsTheStreamWithUsageAndError(String id) {
    FaultRow row = FaultRow.of(id);
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      of(FAULTS_AFTER_CONTENT, id).accept(scenario);

      assertThat(client.fault().code().wire()).as(row.clientSees()).isEqualTo(row.codeInStream());
      assertThat(client.fault().message()).doesNotContain("sk-secret");
      assertThat(client.text()).contains("\"content\":\"one\"", "\"content\":\"two\"");
      assertThat(client.pieces().getLast())
          .as("the usage chunk stands ahead of the error")
          .contains("\"choices\":[]", "\"completion_tokens\":2", "\"x_llm_usage_estimated\":true");
      long cost = scenario.served().usage().promptTokens() + 2 * 2;
      assertThat(scenario.served().cost().value()).as(row.charge()).isEqualTo(cost);
      assertThat(scenario.served().usage().estimated()).isTrue();
      assertThat(scenario.links()).as(row.failover()).isOne();
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
      assertThat(scenario.record().status()).isEqualTo(200);
      boolean complete = Set.of("U42", "U67").contains(id);
      assertThat(scenario.link(0).isOpen()).as("serves again").isEqualTo(complete);
    }
  }

  @Test
  void whatCameAheadOfBrokenFramingInTheSameReadCounts() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(TWO_WORDS + "zz\r\n");
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(client.text()).contains("\"content\":\"two\"");
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(USED + "zz\r\n");
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.text()).contains("\"finish_reason\":\"stop\"");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void threeBrokenEventsInARowEndAStream() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(TWO_WORDS + OpenAiWire.event("{").repeat(3));
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
    }
  }

  @Test
  void everyProviderRowIsHeldByATest() {
    Set<String> held = new TreeSet<>(ELSEWHERE.keySet());
    held.addAll(FAULTS_BEFORE_CONTENT.keySet());
    held.addAll(FAULTS_AFTER_CONTENT.keySet());
    held.addAll(Set.of("U16", "U56"));
    StreamAnomaliesTest.anomalies().forEach(held::add);
    Set<String> rows =
        FaultRow.all().stream()
            .map(FaultRow::id)
            .filter(id -> id.startsWith("U"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(held).isEqualTo(rows);
  }
}
