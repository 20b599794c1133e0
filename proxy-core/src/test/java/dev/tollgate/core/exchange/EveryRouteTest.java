package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.Endpoint.Content;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Ledger.ReserveResult.RefusalCause;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is asked of a model goes through scope, money, limits and settlement: a new row of the
 * route table is held to all of it here.
 */
class EveryRouteTest {
  private static final Fault EMPTY =
      Fault.of(ErrorCode.INSUFFICIENT_CREDITS, "The balance does not reach.");

  /** What a route is asked, and what its provider says. */
  record Row(
      Endpoint endpoint, Modality modality, String body, String upstreamPath, String response) {
    @Override
    public String toString() {
      return endpoint.path();
    }
  }

  static Stream<Row> rows() {
    return Arrays.stream(Endpoint.values())
        .filter(endpoint -> endpoint.content() != Content.NONE)
        .filter(endpoint -> endpoint.urgency() != Endpoint.Urgency.SUBMISSION) // JobRoutesTest
        .map(EveryRouteTest::row);
  }

  static Stream<Row> rowsInJson() {
    return rows().filter(row -> row.endpoint.content() == Content.JSON);
  }

  /** The result is charged: no other provider is asked. */
  static Stream<Row> rowsThatBuy() {
    return rows().filter(row -> row.modality == Modality.IMAGE);
  }

  static Stream<Row> rowsThatAskAgain() {
    return rows().filter(row -> row.modality != Modality.IMAGE);
  }

  private static Row row(Endpoint endpoint) {
    return switch (endpoint) {
      case CHAT_COMPLETIONS -> chat(endpoint, TestCatalog.PLAIN_REQUEST);
      case COMPLETIONS ->
          new Row(
              endpoint,
              Modality.COMPLETION,
              "{\"model\":\"acme/one\",\"prompt\":\"Say something.\",\"max_tokens\":9}",
              "/v1/completions",
              OpenAiWire.textCompletion("one"));
      case RESPONSES -> chat(endpoint, "{\"model\":\"acme/one\",\"input\":\"Say something.\"}");
      case EMBEDDINGS ->
          new Row(
              endpoint,
              Modality.EMBEDDING,
              "{\"model\":\"acme/one\",\"input\":[\"Say\",\"something.\"]}",
              "/v1/embeddings",
              OpenAiWire.embeddings(7));
      case SPEECH ->
          new Row(
              endpoint,
              Modality.SPEECH,
              "{\"model\":\"acme/one\",\"input\":\"Say something.\",\"voice\":\"alloy\"}",
              "/v1/audio/speech",
              OpenAiWire.audio("ID3..."));
      case TRANSCRIPTIONS ->
          new Row(
              endpoint,
              Modality.TRANSCRIPTION,
              OpenAiWire.form(8_000),
              "/v1/audio/transcriptions",
              OpenAiWire.transcript(20, 4));
      case IMAGE_GENERATIONS -> image(endpoint, "{\"model\":\"acme/one\",\"prompt\":\"A gate.\"}");
      case IMAGE_EDITS -> image(endpoint, OpenAiWire.pictures("A gate."));
      case VIDEO_GENERATIONS,
          MUSIC_GENERATIONS,
          VIDEO_JOB,
          MUSIC_JOB,
          JOB,
          VIDEO_JOB_DELETION,
          MUSIC_JOB_DELETION,
          MODELS,
          MODEL,
          KEY,
          CREDITS,
          ARTIFACT ->
          throw new AssertionError(endpoint + " asks no provider");
    };
  }

  private static Row chat(Endpoint endpoint, String body) {
    return new Row(
        endpoint, Modality.CHAT, body, "/v1/chat/completions", OpenAiWire.completion("one"));
  }

  private static Row image(Endpoint endpoint, String body) {
    return new Row(endpoint, Modality.IMAGE, body, endpoint.path(), OpenAiWire.images(7, 1_290));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void itIsChargedOnceAndRecordedUnderItsPath(Row row) {
    try (var scenario = scenario(row)) {
      RecordedClient client = scenario.ask(row.endpoint, row.body);
      assertThat(scenario.link(0).received()).startsWith("POST " + row.upstreamPath + " HTTP/1.1");
      scenario.link(0).send(row.response);

      long cost = scenario.served().cost().value();
      assertThat(cost).isPositive();
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo(Long.toString(cost));
      assertThat(client.field("X-LLM-Provider")).isEqualTo("alpha");
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/one");
      if (row.endpoint != Endpoint.SPEECH) {
        assertThat(client.whole().body()).contains("\"x_llm_cost_micro\":" + cost);
      }
      var charged = scenario.ledger().charged();
      assertThat(charged).singleElement().matches(one -> one.how() == SettlementKind.COMPLETED);
      assertThat(charged.getFirst().cost().value()).isEqualTo(cost);
      assertThat(charged.getFirst().reserved()).isGreaterThanOrEqualTo(charged.getFirst().cost());
      assertThat(scenario.record().route()).isEqualTo(row.endpoint.path());
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void itsModelMayBeAskedForByItsShortName(Row row) {
    try (var scenario = scenario(row)) {
      RecordedClient client = scenario.ask(row.endpoint, row.body.replace("acme/one", "one"));
      scenario.link(0).send(row.response);
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/one");
      assertThat(scenario.served().model()).hasToString("acme/one");

      String nowhere = row.body.replace("acme/one", "/one");
      Fault refused = scenario.ask(row.endpoint, nowhere).fault();
      assertThat(refused.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(refused.param()).isEqualTo("model");
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void whatCannotBePaidIsNotSent(Row row) {
    try (var scenario = scenario(row)) {
      scenario.ledger().refuse(EMPTY, RefusalCause.INSUFFICIENT_FUNDS);
      assertThat(scenario.ask(row.endpoint, row.body).fault()).isEqualTo(EMPTY);
      assertThat(scenario.record().status()).isEqualTo(402);
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void itCountsAsARequestOfItsKey(Row row) {
    try (var scenario = scenario(row).limits(rules(new PerKey(new Rates(1, 0), 0, 1)))) {
      scenario.ask(row.endpoint, row.body);
      assertThat(scenario.slotsInUse()).isOne();
      scenario.link(0).send(row.response);
      assertThat(scenario.slotsInUse()).isZero();

      Fault refused = scenario.ask(row.endpoint, row.body).fault();
      assertThat(refused.code()).isEqualTo(ErrorCode.RATE_LIMITED);
      assertThat(scenario.requests()).isOne();
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void itsTokensCount(Row row) {
    try (var scenario = scenario(row).limits(rules(new PerKey(Rates.OFF, 1, 0)))) {
      Fault refused = scenario.ask(row.endpoint, row.body).fault();
      assertThat(refused.code()).isEqualTo(ErrorCode.TOKENS_PER_MINUTE_EXCEEDED);
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void itIsWithinTheScopeOfItsKeyOrRefused(Row row) {
    var otherModel = new KeyScope(Set.of("acme/other"), Set.of(), Set.of());
    var otherModality = new KeyScope(Set.of(), Set.of("video"), Set.of());
    try (var scenario = scenario(row).keyScope(otherModel)) {
      Fault refused = scenario.ask(row.endpoint, row.body).fault();
      assertThat(refused.code()).isEqualTo(ErrorCode.MODEL_NOT_ALLOWED);
    }
    try (var scenario = scenario(row).keyScope(otherModality)) {
      Fault refused = scenario.ask(row.endpoint, row.body).fault();
      assertThat(refused.code()).isEqualTo(ErrorCode.MODALITY_NOT_ALLOWED);
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aModelOfAnotherKindIsRefused(Row row) {
    try (var scenario =
        Scenario.of(TestCatalog.of(Modality.VIDEO, TestCatalog.provider("alpha")))) {
      Fault refused = scenario.ask(row.endpoint, row.body).fault();
      assertThat(refused.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(refused.param()).isEqualTo("model");
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("rowsThatBuy")
  void whatFailsIsNotBoughtASecondTime(Row row) {
    try (var scenario = Scenario.of(two(row))) {
      RecordedClient client = scenario.ask(row.endpoint, row.body);
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "No."));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
      assertThat(client.fault().shouldRetry()).isFalse();
      assertThat(scenario.requests()).isOne();
      assertThat(scenario.ledger().charged()).isEmpty();
    }
  }

  private static Catalog two(Row row) {
    return TestCatalog.of(row.modality, TestCatalog.all("alpha", "beta"));
  }

  @ParameterizedTest
  @MethodSource("rowsThatAskAgain")
  void whatFailsAtOneProviderIsAskedOfTheNext(Row row) {
    try (var scenario = Scenario.of(two(row))) {
      RecordedClient client = scenario.ask(row.endpoint, row.body);
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "No."));
      scenario.link(1).send(row.response);
      assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource("rowsInJson")
  void aBodyThatIsNoJsonIsRefused(Row row) {
    try (var scenario = scenario(row)) {
      Fault refused = scenario.ask(row.endpoint, row.body + "}").fault();
      assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_JSON);
      Fault array = scenario.ask(row.endpoint, "[]").fault();
      assertThat(array.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
  }

  private static Scenario scenario(Row row) {
    return Scenario.of(TestCatalog.of(row.modality, TestCatalog.provider("alpha")));
  }

  private static LimitRules rules(PerKey key) {
    return new LimitRules(Rates.OFF, Rates.OFF, key, Rates.OFF, Map.of());
  }
}
