package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** Text completions are streamed, repaired and charged as chats are, but never continued. */
class CompletionsTest {
  private static final String STREAM =
      "{\"model\":\"acme/one\",\"prompt\":\"Say something.\",\"stream\":true}";

  private static Scenario scenario(String... more) {
    return more.length == 0
        ? Scenario.of(TestCatalog.of(Modality.COMPLETION, TestCatalog.provider("alpha")))
        : Scenario.of(
            TestCatalog.of(
                Modality.COMPLETION, TestCatalog.provider("alpha"), TestCatalog.provider(more[0])));
  }

  @Test
  void aStreamReachesTheClientWithUsageCostAndTheTerminator() {
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, STREAM);
      ProviderLink provider = scenario.link(0);
      assertThat(provider.received())
          .startsWith("POST /v1/completions HTTP/1.1\r\n")
          .endsWith("\"stream_options\":{\"include_usage\":true}}");
      provider.send(
          OpenAiWire.STREAM_HEAD
              + OpenAiWire.event(OpenAiWire.text(0, "Hello", "null"))
              + OpenAiWire.event(OpenAiWire.text(0, " there", "\"stop\""))
              + OpenAiWire.event(OpenAiWire.usage(7, 2))
              + OpenAiWire.event("[DONE]")
              + OpenAiWire.LAST_CHUNK);

      assertThat(client.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(client.text())
          .startsWith("data: {\"id\":\"c1\",\"object\":\"text_completion\"")
          .contains("\"text\":\"Hello\"", "\"text\":\" there\"", "\"x_llm_cost_micro\":11")
          .endsWith("}\n\ndata: [DONE]\n\n");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(scenario.served().cost().value()).isEqualTo(11);
      assertThat(provider.isOpen()).isTrue();
    }
  }

  @Test
  void beforeTheFirstTextAnotherProviderServes() {
    try (var scenario = scenario("beta")) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, STREAM);
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.text(0, "", "null")));
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.errorBody("overloaded", "No.")));
      scenario
          .link(1)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.text(0, "Hi", "\"stop\""))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      assertThat(client.text()).contains("\"provider\":\"beta\"").doesNotContain("\"error\"");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
    }
  }

  @Test
  void behindTextItBreaksOffWhateverTheOptionsAre() {
    String wish = STREAM.replace("}", ",\"routing\":{\"resume\":\"auto\",\"hedge_after_ms\":1}}");
    try (var scenario = scenario("beta")) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, wish);
      scenario.passMillis(100);
      assertThat(scenario.requests()).as("not hedged").isOne();
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.text(0, "Hello", "null")));
      scenario.link(0).send(OpenAiWire.LAST_CHUNK);

      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_DISCONNECT);
      assertThat(client.text()).contains("\"x_llm_usage_estimated\":true");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.UNSUPPORTED);
      assertThat(scenario.served().cost().isPositive()).isTrue();
      assertThat(scenario.requests()).isOne();
    }
  }

  @Test
  void whatIsDoneIsCompleteThoughNoTextSaidSo() {
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, STREAM);
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.text(0, "Hello", "null")));
      scenario.link(0).send(OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK);
      assertThat(client.text()).contains("\"finish_reason\":\"stop\"").endsWith("[DONE]\n\n");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
    }
  }

  /** Without reported usage, and after a disconnect of the client. */
  @Test
  void whatIsRepeatedIsNotCharged() {
    String prompt = "word ".repeat(8_000);
    String ask =
        "{\"model\":\"acme/one\",\"prompt\":\"" + prompt + "\",\"echo\":true,\"max_tokens\":1";
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, ask + "}");
      String reply = OpenAiWire.textCompletion(prompt + "This is the end.");
      scenario.link(0).send(withoutUsage(reply));
      assertThat(client.whole().body()).contains("\"completion_tokens\":1,", "This is the end.\"");
      assertThat(client.field("X-LLM-Cost-Estimated")).isEqualTo("true");
    }
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, ask + ",\"stream\":true}");
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.text(0, prompt, "null")));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.run().served().usage().completionTokens()).isLessThanOrEqualTo(1);
      assertThat(scenario.served().usage().promptTokens()).isEqualTo(10_001);
    }
  }

  @Test
  void aStreamThatRepeatsItsPromptIsSettledByTheReportedUsage() {
    String ask = STREAM.replace("}", ",\"echo\":true,\"logprobs\":0,\"suffix\":\".\"}");
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, ask);
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.text(0, "Say something.", "null"))
                  + OpenAiWire.event(OpenAiWire.text(0, " Hello", "\"stop\""))
                  + OpenAiWire.event(OpenAiWire.usage(7, 1))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      assertThat(client.text())
          .contains("\"text\":\"Say something.\"", "\"text\":\" Hello\"")
          .contains("\"completion_tokens\":1,", "\"x_llm_cost_micro\":9");
      assertThat(scenario.served().cost().value()).isEqualTo(9);
    }
  }

  private static String withoutUsage(String response) {
    int head = response.indexOf("\r\n\r\n") + 4;
    String body = response.substring(head, response.indexOf(",\"usage\"")) + "}";
    return OpenAiWire.response(200, "OK", "", body);
  }

  @Test
  void whoLeavesPaysForWhatCame() {
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.COMPLETIONS, STREAM);
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.text(0, "Hello", "null")));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.run().link(0).isOpen()).isFalse();
      assertThat(scenario.served().usage().estimated()).isTrue();
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }
}
