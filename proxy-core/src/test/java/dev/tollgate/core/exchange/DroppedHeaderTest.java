package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** A reply says in its head what its provider did not get as the client sent it. */
class DroppedHeaderTest {
  private static final String DROPPED = "X-LLM-Dropped";
  private static final String MESSAGES = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";
  private static final String REPLY =
      "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":"
          + "[{\"type\":\"text\",\"text\":\"Hi.\"}],\"stop_reason\":\"end_turn\","
          + "\"usage\":{\"input_tokens\":5,\"output_tokens\":3}}";

  private static String chat(String members) {
    return "{\"model\":\"acme/one\"," + members + "," + MESSAGES + "}";
  }

  private static Provider anthropic(String name) {
    return TestCatalog.ofDialect("anthropic", name);
  }

  @Test
  void aPlainReplyAndAStreamNameWhatWasLeftOut() {
    try (var scenario = Scenario.of(TestCatalog.of(anthropic("beta")))) {
      RecordedClient plain = scenario.ask(chat("\"seed\":7,\"user\":\"u\""));
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", REPLY));
      assertThat(plain.field(DROPPED)).isEqualTo("seed");
      assertThat(scenario.served().attempts().getLast().unsent()).containsExactly("seed");
      RecordedClient stream = scenario.ask(chat("\"stream\":true,\"seed\":7,\"x\":[1]"));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      scenario.link(0).send(OpenAiWire.chunk(AnthropicWire.start(5)));
      scenario.link(0).send(OpenAiWire.chunk(AnthropicWire.text(0, "Hello")));
      assertThat(stream.field(DROPPED)).isEqualTo("seed, x");
      String end = AnthropicWire.stop("end_turn", 3);
      scenario.link(0).send(OpenAiWire.chunk(end) + OpenAiWire.LAST_CHUNK);
    }
  }

  @Test
  void aProviderThatGetsAllIsNotMentioned() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.ask(chat("\"seed\":7,\"x\":[1]"));
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.hasField(DROPPED)).isFalse();
    }
  }

  @Test
  void behindAFallbackItIsTheListOfTheProviderThatAnswered() {
    var providers = TestCatalog.of(anthropic("beta"), TestCatalog.provider("gamma"));
    try (var scenario = Scenario.of(providers)) {
      RecordedClient client = scenario.ask(chat("\"seed\":7"));
      scenario.link(0).send(OpenAiWire.error(500, "api_error", "oops"));
      scenario.link(1).send(OpenAiWire.completion("fine"));
      assertThat(client.field("X-LLM-Provider")).isEqualTo("gamma");
      assertThat(client.hasField(DROPPED)).isFalse();
      assertThat(scenario.served().attempts().getFirst().unsent()).containsExactly("seed");
    }
  }

  @Test
  void namesOfTheRequestCannotBreakTheHeader() {
    try (var scenario = Scenario.of(TestCatalog.of(anthropic("beta")))) {
      RecordedClient client =
          scenario.ask(chat("\"a, b\\r\\nX: \\u00e9\":1,\"" + "n".repeat(1_000) + "\":1"));
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", REPLY));
      assertThat(client.field(DROPPED)).isEqualTo("a??b??X:??, " + "n".repeat(100));
    }
  }

  @Test
  void aResponseNamesTheMembersOfItsOwnBody() {
    String body =
        "{\"model\":\"acme/one\",\"input\":\"Hi\",\"reasoning\":{\"effort\":\"low\"},"
            + "\"top_k\":7,\"tool_choice\":\"auto\",\"service_tier\":\"priority\",\"include\":[\"x\"],"
            + "\"metadata\":{\"a\":\"b\"},\"store\":false,\"truncation\":\"disabled\","
            + "\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]}";
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.ask(Endpoint.RESPONSES, body);
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.field(DROPPED)).isEqualTo("reasoning, top_k, service_tier");
    }
  }

  @Test
  void aResponseNamesTheReasoningOfItsInput() {
    String reasoning = "{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]},";
    String call =
        "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"},";
    String result = "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"1\"}";
    String body =
        "{\"model\":\"acme/one\",\"max_output_tokens\":9,\"truncation\":\"auto\",\"input\":[{\"role\":"
            + "\"user\",\"content\":\"Hi\"},"
            + reasoning
            + "{\"role\":\"assistant\",\"content\":\"So.\"},"
            + reasoning
            + call
            + reasoning
            + result
            + "]}";
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.ask(Endpoint.RESPONSES, body);
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.field(DROPPED)).isEqualTo("truncation, input[1], input[3], input[5]");
    }
  }
}
