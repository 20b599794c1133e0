package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A provider's event that is named an error is one, whatever its data look like. */
class ErrorEventTest {
  private static final String DONE = OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"message\":\"upstream overloaded\"}",
        "{\"id\":\"e1\",\"message\":\"upstream overloaded\"}",
        "upstream overloaded",
        "{\"choices",
        "[]"
      })
  void itIsAnErrorWhateverItSays(String data) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("one"))
                  + named(data)
                  + DONE);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.served().attempts().getFirst().outcome()).isEqualTo("interrupted");
      assertThat(client.pieces().getLast()).contains("\"completion_tokens\":1");
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()) + named(data) + DONE);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.text()).contains("fine", "\"provider\":\"beta\"");
    }
  }

  @Test
  void aChunkIsAChunkByAnyName() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + named(OpenAiWire.content("one")));
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.finish("stop")) + DONE);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(ClientStream.of(client).content).hasToString("one");
    }
  }

  @Test
  void behindTheFinishItChangesNothing() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.finish("stop")) + named("late") + DONE);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    }
  }

  private static String named(String data) {
    return OpenAiWire.chunk("event: error\n" + OpenAiWire.data(data));
  }
}
