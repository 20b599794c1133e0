package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** No endpoint hands on what would choose another price, model or route. */
class PricedOptionsTest {
  private static final String DROPPED = "X-LLM-Dropped";
  private static final String OPTIONS =
      "\"service_tier\":\"priority\",\"\\u006dodels\":[\"dear/one\"],\"Models\":[\"dear/two\"],"
          + "\"extra_body\":{\"model\":\"dear/three\"}";
  private static final String NAMES = "service_tier, models, Models, extra_body.model";
  private static final String[] FIELDS = {"service_tier=priority", "models[]=dear/one", "x=1"};

  private static Scenario scenario(Modality modality) {
    return Scenario.of(TestCatalog.of(modality, TestCatalog.provider("alpha")));
  }

  /** Refuses the request, so that nothing is left open; the refusal names them, too. */
  private static void requireWithout(Scenario scenario, RecordedClient client, String names) {
    assertThat(scenario.link(0).received()).contains("x").doesNotContain("priority", "dear");
    scenario.link(0).send(OpenAiWire.error(400, "invalid_request_error", "no"));
    assertThat(client.field(DROPPED)).isEqualTo(names);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "CHAT_COMPLETIONS, CHAT, `\"messages\":[{\"role\":\"user\",\"content\":\"p\"}]`",
        "CHAT_COMPLETIONS, CHAT, `\"messages\":[{\"role\":\"user\",\"content\":\"p\"}],\"stream\":true`",
        "COMPLETIONS, COMPLETION, `\"prompt\":\"p\",\"stream\":true`",
        "EMBEDDINGS, EMBEDDING, `\"input\":\"p\"`",
        "SPEECH, SPEECH, `\"input\":\"p\",\"voice\":\"v\"`",
        "IMAGE_GENERATIONS, IMAGE, `\"prompt\":\"p\"`"
      })
  void aBodyReachesTheProviderWithout(Endpoint endpoint, Modality modality, String members) {
    try (var scenario = scenario(modality)) {
      String body = "{\"model\":\"acme/one\"," + OPTIONS + ",\"x\":1," + members + "}";
      requireWithout(scenario, scenario.ask(endpoint, body), NAMES);
    }
  }

  @Test
  void aFormReachesTheProviderWithout() {
    try (var scenario = scenario(Modality.TRANSCRIPTION)) {
      String form = OpenAiWire.form(100, FIELDS);
      RecordedClient client = scenario.ask(Endpoint.TRANSCRIPTIONS, form);
      requireWithout(scenario, client, "service_tier, models[]");
    }
    try (var scenario = scenario(Modality.IMAGE)) {
      String form = OpenAiWire.pictures("p", FIELDS);
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, form);
      requireWithout(scenario, client, "service_tier, models[]");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MESSAGE", "CONTINUE_FINAL_MESSAGE"})
  void soDoesTheRequestThatContinuesAStream(Prefill style) {
    var beta = TestCatalog.prefilled("beta", style);
    try (var scenario = Scenario.of(TestCatalog.of(TestCatalog.provider("alpha"), beta))) {
      String body =
          "{\"model\":\"acme/one\",\"stream\":true,\"routing\":{\"resume\":\"prefill\"},"
              + OPTIONS
              + ",\"messages\":[{\"role\":\"user\",\"content\":\"p\"}]}";
      RecordedClient client = scenario.ask(body);
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one ")))
          .fin();
      assertThat(scenario.link(1).received())
          .contains("assistant")
          .doesNotContain("priority", "dear");
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("two"));
      assertThat(client.text()).contains("one ", "two");
      assertThat(client.field(DROPPED)).isEqualTo(NAMES);
    }
  }
}
