package dev.tollgate.core.exchange;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.api.ResponsesView;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A response is a chat in other words: it is broken off, continued and charged as one. */
class ResponsesTest {
  private static final int CALLS_IN_A_CHUNK = 16;
  private static final String STREAM =
      "{\"model\":\"acme/one\",\"input\":\"Say something.\",\"stream\":true}";

  private static RecordedClient ask(Scenario scenario, String body) {
    return scenario.ask(Endpoint.RESPONSES, body);
  }

  @Test
  void aStreamReachesTheClientAsEventsWithUsageAndCostInTheLastOne() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1/chat/completions HTTP/1.1\r\n")
          .endsWith(
              "{\"model\":\"one-at-alpha\","
                  + "\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}],"
                  + "\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("Hello", " there"));

      assertThat(client.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      JsonNode response = ResponsesView.of(client.text()).completed();
      assertThat(response.at("/output/0/content/0/text").asText()).isEqualTo("Hello there");
      assertThat(response.at("/usage/x_llm_cost_micro").longValue())
          .isEqualTo(scenario.served().cost().value())
          .isEqualTo(11);
      assertThat(client.text()).endsWith("}\n\ndata: [DONE]\n\n");
    }
  }

  @Test
  void aClientThatNeedsThemGetsOpenAisEvents() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.needing(ResponseEventSet.EXTENDED);
      RecordedClient client = ask(scenario, STREAM);
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("Hello", " there"));
      assertThat(ResponsesView.of(client.text()).types())
          .startsWith(
              "response.created", "response.output_item.added", "response.content_part.added");
    }
  }

  @Test
  void anInterruptionBehindTextReportsItsUsageInTheError() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = ask(scenario, STREAM);
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("Hello"))
                  + OpenAiWire.LAST_CHUNK);

      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_DISCONNECT);
      assertThat(client.errorForm()).isEqualTo(new ErrorForm.Event(2));
      assertThat(client.isTruncated()).isTrue();
      assertThat(client.text()).doesNotContain("usage");
      long cost = scenario.served().cost().value();
      assertThat(cost).isPositive();
      assertThat(usage(client).get("x_llm_cost_micro")).isEqualTo(cost);
      assertThat(usage(client).get("x_llm_usage_estimated")).isEqualTo(true);
      assertThat(usage(client).get("output_tokens")).isEqualTo(1L);
      assertThat(client.fault().details()).containsKey("attempts");
    }
  }

  private static Map<?, ?> usage(RecordedClient client) {
    return (Map<?, ?>) requireNonNull(client.fault().details().get("usage"));
  }

  @Test
  void anEventThatCannotBeReadBreaksItOff() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      String whole = OpenAiWire.wholeStream("Hello", " there", " you");
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + whole.replace(" there\"}", " there\"]"));

      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      assertThat(client.text()).contains("Hello").doesNotContain("response.completed", " you");
    }
  }

  @Test
  void whatFailsBehindAnEarlyHeadIsTheFirstEvent() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      scenario.passSeconds(16);
      scenario.link(0).send(OpenAiWire.error(400, "content_filter", "no"));
      assertThat(client.text()).isEqualTo(": ping\n\n");
      assertThat(client.errorForm()).isEqualTo(new ErrorForm.Event(0));
      assertThat(usage(client).get("x_llm_cost_micro")).isEqualTo(0L);
    }
  }

  @Test
  void whatFailsAheadOfTheHeadIsAnOrdinaryError() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      scenario.link(0).send(OpenAiWire.error(400, "content_filter", "no"));
      assertThat(client.isOpened()).isFalse();
      assertThat(client.errorForm()).isEqualTo(new ErrorForm.Envelope());
      assertThat(client.fault().details()).doesNotContainKey("usage");
    }
  }

  /** The chat is an array of its own, and takes the place of the body. */
  @Test
  void whatTheBodyWasMappedToCounts() {
    String tool = "{\"type\":\"function\",\"name\":\"f\",\"description\":\"D\"}";
    String body =
        STREAM
            .replace("Say", "x".repeat(100_000))
            .replace("}", ",\"tools\":[" + tool.replace("D", "d".repeat(50_000)) + "]}");
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      ask(scenario, body);
      assertThat(scenario.inflight().held()).isBetween(200_000L, 400_000L);
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("Hello"));
      assertThat(scenario.inflight().held()).isZero();
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), 2L * body.length())) {
      RecordedClient client = ask(scenario, body);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.SHED);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  /** What is written from all of the text counts until its client took it. */
  @Test
  void theLastEventCountsLikeTheTextThatItWasMadeOf() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      client.holdsPieces(true);
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("x".repeat(150_000))));
      scenario.link(0).send(OpenAiWire.wholeStream("y"));
      assertThat(client.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(scenario.inflight().held()).isGreaterThan(150_000);
      client.holdsPieces(false);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  /** It repeats the tools of the request, of which nothing came from the provider. */
  @Test
  void theToolsOfTheLastEventCount() {
    String tool = "{\"type\":\"function\",\"name\":\"f\",\"description\":\"D\"}";
    String tools = ",\"tools\":[" + tool.replace("D", "d".repeat(1 << 20)) + "]}";
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), 16 << 20)) {
      RecordedClient client = ask(scenario, STREAM.replace("}", tools));
      client.holdsPieces(true);
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("Hello"));
      assertThat(client.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(scenario.inflight().held()).isGreaterThan(1 << 20);
      client.holdsPieces(false);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "messages[2].content, input",
    "messages, input",
    "max_tokens, max_output_tokens",
    "max_completion_tokens, max_output_tokens",
    "tools[1].function.parameters, tools[1].parameters",
    "tools[0].function, tools[0]",
    "temperature, temperature"
  })
  void aProvidersComplaintNamesTheFieldThatItsClientSent(String theirs, String ours) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      String error = OpenAiWire.errorBody("invalid", "No.");
      scenario
          .link(0)
          .send(
              OpenAiWire.response(
                  400, "No", "", error.replace("\"param\":null", "\"param\":\"" + theirs + "\"")));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(client.fault().param()).isEqualTo(ours);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"prefill", "replay"})
  void anotherProviderContinuesItUnderTheSameIdAndNumbers(String how) {
    var catalog =
        TestCatalog.of(
            TestCatalog.provider("alpha"), TestCatalog.prefilled("beta", Prefill.MESSAGE));
    String wish = STREAM.replace("}", ",\"routing\":{\"resume\":\"" + how + "\"}}");
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient client = ask(scenario, wish);
      String begun = "One two three four five six ";
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content(begun))
                  + OpenAiWire.LAST_CHUNK);
      ProviderLink beta = scenario.link(1);
      assertThat(beta.received().contains("\"role\":\"assistant\""))
          .isEqualTo(how.equals("prefill"));
      beta.send(
          OpenAiWire.STREAM_HEAD
              + OpenAiWire.wholeStream(how.equals("prefill") ? "seven" : begun + "seven"));

      ResponsesView view = ResponsesView.of(client.text());
      assertThat(view.text()).isEqualTo(begun + "seven");
      assertThat(view.completed().path("provider").asText()).isEqualTo("beta");
      assertThat(view.completed().at("/usage/x_llm_cost_micro").longValue())
          .isEqualTo(scenario.served().cost().value());
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.CONTINUED);
    }
  }

  @Test
  void aResponseOfAnotherDialectIsTheSame() {
    var catalog = TestCatalog.of(TestCatalog.ofDialect("anthropic", "claude"));
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient client = ask(scenario, STREAM.replace("}", ",\"instructions\":\"Be kind.\"}"));
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1/messages HTTP/1.1\r\n")
          .contains("\"system\":", "Be kind.");
      String events =
          AnthropicWire.start(7)
              + AnthropicWire.text(0, "Hello", " there")
              + AnthropicWire.stop("end_turn", 2);
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.chunk(events) + OpenAiWire.LAST_CHUNK);
      ResponsesView view = ResponsesView.of(client.text());
      assertThat(view.text()).isEqualTo("Hello there");
      assertThat(view.completed().at("/usage/input_tokens").longValue()).isPositive();
    }
  }

  @Test
  void whatTheLastEventRepeatsIsBoundedAndGivenBack() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      long before = scenario.inflight().held();
      ProviderLink provider = scenario.link(0);
      provider.send(OpenAiWire.STREAM_HEAD);
      String piece = OpenAiWire.event(OpenAiWire.content("x".repeat(20_000)));
      for (int n = 0; n < 5; n++) {
        provider.send(piece);
      }
      assertThat(scenario.inflight().held()).isGreaterThanOrEqualTo(before + 100_000);
      for (int n = 5; n * 20_000 <= TestCatalog.EVENT_BYTES_MAX; n++) {
        provider.send(piece);
      }
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      assertThat(scenario.inflight().held()).isLessThanOrEqualTo(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",'id':'%s'", ",'function':{'name':'%s'}"})
  void callsThatSayNothingAreBoundedToo(String said) {
    String filler = said.isEmpty() ? "" : "x".repeat(1_000);
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = ask(scenario, STREAM);
      ProviderLink provider = scenario.link(0);
      provider.send(OpenAiWire.STREAM_HEAD);
      int callsMax = TestCatalog.EVENT_BYTES_MAX / (256 + filler.length());
      for (int from = 0; from <= callsMax; from += CALLS_IN_A_CHUNK) {
        provider.send(OpenAiWire.event(calls(from, said.formatted(filler))));
      }
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
    }
  }

  private static String calls(int from, String said) {
    return IntStream.range(from, from + CALLS_IN_A_CHUNK)
        .mapToObj(index -> "{'index':" + index + said + "}")
        .collect(
            Collectors.joining(
                ",",
                "{'id':'c1','choices':[{'index':0,'delta':{'tool_calls':[",
                "]},'finish_reason':null}]}"))
        .replace('\'', '"');
  }

  @Test
  void whatTheProcessHasNoRoomForIsNotKept() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), 120_000)) {
      RecordedClient client = ask(scenario, STREAM);
      ProviderLink provider = scenario.link(0);
      provider.send(OpenAiWire.STREAM_HEAD);
      for (int n = 0; n < 7; n++) {
        provider.send(OpenAiWire.event(OpenAiWire.content("x".repeat(20_000))));
      }
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      assertThat(client.errorForm()).isInstanceOf(ErrorForm.Event.class);
    }
  }
}
