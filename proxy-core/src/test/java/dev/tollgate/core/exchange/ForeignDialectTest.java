package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** A provider that does not speak OpenAI, among others that do. */
class ForeignDialectTest {
  private static final String REQUEST =
      "{ \"model\":\"acme/one\", \"x_own\" : 1.0, \"stream\":true,\"seed\":7,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Say \\u0073omething.\"}]}";
  private static final String PLAIN = REQUEST.replace("true", "false");

  private static Provider anthropic(String name) {
    return TestCatalog.ofDialect("anthropic", name);
  }

  private static String body(String request) {
    return request.substring(request.indexOf("\r\n\r\n") + 4);
  }

  @Test
  void eachTryIsBuiltFromTheOriginalInItsOwnDialect() {
    var providers =
        TestCatalog.of(
            TestCatalog.provider("alpha"), anthropic("beta"), TestCatalog.provider("gamma"));
    try (var scenario = Scenario.of(providers)) {
      RecordedClient client = scenario.ask(REQUEST);
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "oops"));
      String overloaded = AnthropicWire.errorBody("overloaded_error", "Overloaded");
      scenario.link(1).send(OpenAiWire.response(529, "Overloaded", "", overloaded));
      scenario.link(2).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));

      assertThat(client.text()).contains("fine").endsWith("data: [DONE]\n\n");
      String first = body(scenario.link(0).received());
      assertThat(first)
          .isEqualTo(
              REQUEST
                  .replace("acme/one", "one-at-alpha")
                  .replace("]}", "],\"stream_options\":{\"include_usage\":true}}"));
      assertThat(body(scenario.link(2).received()))
          .isEqualTo(first.replace("one-at-alpha", "one-at-gamma"));
      assertThat(scenario.link(1).received())
          .startsWith("POST /v1/messages HTTP/1.1\r\n")
          .contains("x-api-key: sk-of-beta\r\n", "anthropic-version: 2023-06-01\r\n")
          .doesNotContain("uthorization");
      assertThat(body(scenario.link(1).received()))
          .isEqualTo(
              "{\"model\":\"one-at-beta\",\"max_tokens\":4096,\"stream\":true,"
                  + "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                  + "\"text\":\"Say \\u0073omething.\"}]}]}");
      assertThat(scenario.served().attempts())
          .extracting(RequestRecord.AttemptRecord::outcome)
          .containsExactly("server_error", "server_error", "ok");
      assertThat(scenario.served().attempts().get(1).unsent()).containsExactly("x_own", "seed");
      assertThat(scenario.served().attempts().getFirst().unsent()).isEmpty();
    }
  }

  @Test
  void itsStreamIsTheClientsAndIsCharged() {
    try (var scenario = Scenario.of(TestCatalog.of(anthropic("beta")))) {
      RecordedClient client = scenario.ask(REQUEST);
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.chunk(AnthropicWire.start(5)));
      assertThat(client.isOpened()).as("before content").isFalse();
      scenario.link(0).send(OpenAiWire.chunk(AnthropicWire.text(0, "Hel", "lo")));
      assertThat(client.text()).contains("Hel");
      scenario
          .link(0)
          .send(OpenAiWire.chunk(AnthropicWire.stop("end_turn", 3)) + OpenAiWire.LAST_CHUNK);

      ClientView view = ClientView.of(client.text());
      assertThat(view.text()).isEqualTo("Hello");
      assertThat(view.finish()).isEqualTo("stop");
      assertThat(view.done()).isTrue();
      assertThat(view.usage().path("total_tokens").longValue()).isEqualTo(8);
      assertThat(scenario.served().cost().value()).isEqualTo(11);
      assertThat(scenario.served().usage().estimated()).isFalse();
    }
  }

  @Test
  void anErrorBeforeContentIsNoReply() {
    try (var scenario =
        Scenario.of(TestCatalog.of(anthropic("beta"), TestCatalog.provider("gamma")))) {
      RecordedClient client = scenario.ask(REQUEST);
      String error =
          "event: error\ndata: " + AnthropicWire.errorBody("rate_limit_error", "slow") + "\n\n";
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.chunk(AnthropicWire.start(5) + error));
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));

      assertThat(ClientView.of(client.text()).text()).isEqualTo("fine");
      assertThat(scenario.served().attempts())
          .extracting(RequestRecord.AttemptRecord::outcome)
          .containsExactly("rate_limited", "ok");
    }
  }

  @Test
  void anErrorBehindContentBreaksTheStreamAndIsChargedByItsOwnCount() {
    try (var scenario = Scenario.of(TestCatalog.of(anthropic("beta")))) {
      RecordedClient client = scenario.ask(REQUEST);
      String error =
          "event: error\ndata: " + AnthropicWire.errorBody("overloaded_error", "no") + "\n\n";
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.chunk(
                      AnthropicWire.start(5) + AnthropicWire.text(0, "Hello") + error));

      assertThat(client.text()).contains("Hello");
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      assertThat(scenario.served().usage().promptTokens()).isEqualTo(5);
    }
  }

  @Test
  void itsPlainReplyIsACompletion() {
    try (var scenario = Scenario.of(TestCatalog.of(anthropic("beta")))) {
      RecordedClient client = scenario.ask(PLAIN);
      scenario
          .link(0)
          .send(
              OpenAiWire.response(
                  200,
                  "OK",
                  "",
                  "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
                      + "\"content\":[{\"type\":\"text\",\"text\":\"Hi.\"}],"
                      + "\"stop_reason\":\"end_turn\","
                      + "\"usage\":{\"input_tokens\":5,\"output_tokens\":3}}"));

      assertThat(client.whole().body())
          .contains("\"content\":\"Hi.\"", "\"finish_reason\":\"stop\"", "\"total_tokens\":8");
      assertThat(scenario.served().cost().value()).isEqualTo(11);
    }
  }

  @Test
  void aRequiredParameterWithoutAProviderIsNamed() {
    String insisting =
        REQUEST.replace("\"seed\"", "\"routing\":{\"require_parameters\":true},\"seed\"");
    try (var scenario = Scenario.of(TestCatalog.of(anthropic("beta")))) {
      RecordedClient client = scenario.ask(insisting.replace("\"x_own\" : 1.0, ", ""));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(client.fault().param()).isEqualTo("seed");
      assertThat(scenario.links()).isZero();
    }
    try (var scenario =
        Scenario.of(TestCatalog.of(anthropic("beta"), TestCatalog.provider("gamma")))) {
      RecordedClient client = scenario.ask(insisting);
      assertThat(scenario.link(0).host()).isEqualTo("gamma.example");
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.text()).contains("fine");
    }
  }

  @Test
  void aServerThatDeviatesGetsAndGivesItsOwn() {
    Provider mistral = TestCatalog.like(KnownServer.MISTRAL, "alpha");
    String request = REQUEST.replace("\"seed\":7", "\"seed\":7,\"user\":\"u\",\"logprobs\":true");
    try (var scenario = Scenario.of(TestCatalog.of(mistral))) {
      RecordedClient client = scenario.ask(request);
      assertThat(body(scenario.link(0).received()))
          .isEqualTo(
              "{ \"model\":\"one-at-alpha\", \"x_own\" : 1.0, \"stream\":true,"
                  + "\"random_seed\":7,"
                  + "\"messages\":[{\"role\":\"user\",\"content\":\"Say \\u0073omething.\"}]}");
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.chunk(
                      "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":["
                          + "{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
                          + "\"text\":\"Hm.\"}]}]}}]}\n\n"
                          + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Yes.\"},"
                          + "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,"
                          + "\"completion_tokens\":3,\"total_tokens\":8}}\n\ndata: [DONE]\n\n")
                  + OpenAiWire.LAST_CHUNK);
      ClientView view = ClientView.of(client.text());
      assertThat(view.text()).isEqualTo("Yes.");
      assertThat(client.text()).contains("\"reasoning_content\":\"Hm.\"");
      assertThat(scenario.served().attempts().getFirst().unsent()).containsExactly("logprobs");
      assertThat(scenario.served().cost().value()).isEqualTo(11);
    }
    try (var scenario = Scenario.of(TestCatalog.of(mistral))) {
      RecordedClient client =
          scenario.ask(
              request.replace("\"seed\"", "\"routing\":{\"require_parameters\":true},\"seed\""));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(client.fault().param()).isEqualTo("logprobs");
    }
  }

  @Test
  void azureIsAskedByDeploymentAndItsFilterDoesNotDisturb() {
    Provider azure =
        TestCatalog.addressed(
            "azure", "alpha", "/openai/deployments/{deployment}", "?api-version=2024-10-21");
    String filtered = ",\"content_filter_results\":{\"hate\":{\"filtered\":false}}}";
    try (var scenario = Scenario.of(TestCatalog.of(azure))) {
      RecordedClient client = scenario.ask(REQUEST);
      assertThat(scenario.link(0).received())
          .startsWith(
              "POST /openai/deployments/one-at-alpha/chat/completions?api-version=2024-10-21"
                  + " HTTP/1.1\r\n")
          .contains("api-key: sk-of-alpha\r\n")
          .doesNotContain("uthorization");
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.chunk(
                      "data: {\"choices\":[],\"id\":\"\",\"model\":\"\",\"object\":\"\",\"created\":0,"
                          + "\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n"
                          + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Yes.\"}}],"
                          + "\"id\":\"c\"}\n\n"
                          + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"
                          + "\"id\":\"c\"}\n\n"
                          + "data: {\"id\":\"\",\"choices\":[{\"index\":0,\"finish_reason\":null,"
                          + "\"content_filter_offsets\":{\"check_offset\":0}"
                          + filtered
                          + "]}\n\n"
                          + "data: {\"choices\":[],\"id\":\"c\",\"usage\":{\"prompt_tokens\":5,"
                          + "\"completion_tokens\":3,\"total_tokens\":8}}\n\ndata: [DONE]\n\n")
                  + OpenAiWire.LAST_CHUNK);
      ClientView view = ClientView.of(client.text());
      assertThat(view.text()).isEqualTo("Yes.");
      assertThat(view.finish()).isEqualTo("stop");
      assertThat(view.done()).isTrue();
      assertThat(view.chunks())
          .allSatisfy(chunk -> assertThat(chunk.path("id").asText()).isEqualTo("c"));
      assertThat(scenario.served().cost().value()).isEqualTo(11);
    }
  }

  @Test
  void linesOfJsonAreAStreamToo() {
    String head = OpenAiWire.STREAM_HEAD.replace("text/event-stream", "application/x-ndjson");
    assertThat(head).isNotEqualTo(OpenAiWire.STREAM_HEAD);
    try (var scenario =
        Scenario.of(TestCatalog.of(TestCatalog.ofDialect("ollama", "beta"), anthropic("gamma")))) {
      RecordedClient client = scenario.ask(REQUEST);
      assertThat(scenario.link(0).received())
          .startsWith("POST /api/chat HTTP/1.1\r\n")
          .contains("accept: application/x-ndjson\r\n");
      scenario.link(0).send(head + OpenAiWire.chunk("{\"error\":\"the model runner stopped\"}\n"));
      scenario
          .link(1)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.chunk(
                      AnthropicWire.start(5)
                          + AnthropicWire.text(0, "Hello")
                          + AnthropicWire.stop("end_turn", 3))
                  + OpenAiWire.LAST_CHUNK);
      assertThat(ClientView.of(client.text()).text()).isEqualTo("Hello");
      assertThat(scenario.served().attempts())
          .extracting(RequestRecord.AttemptRecord::outcome)
          .containsExactly("server_error", "ok");
    }
    try (var scenario = Scenario.of(TestCatalog.of(TestCatalog.ofDialect("ollama", "beta")))) {
      RecordedClient client = scenario.ask(REQUEST);
      scenario
          .link(0)
          .send(
              head
                  + OpenAiWire.chunk("{\"message\":{\"content\":\"Hel")
                  + OpenAiWire.chunk(
                      "lo\"},\"done\":false}\n{\"message\":{\"content\":\"\"},\"done\":true,"
                          + "\"done_reason\":\"stop\",\"prompt_eval_count\":5,\"eval_count\":3}\n")
                  + OpenAiWire.LAST_CHUNK);
      ClientView view = ClientView.of(client.text());
      assertThat(view.text()).isEqualTo("Hello");
      assertThat(view.finish()).isEqualTo("stop");
      assertThat(scenario.served().cost().value()).isEqualTo(11);
    }
  }
}
