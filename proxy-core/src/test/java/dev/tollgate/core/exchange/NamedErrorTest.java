package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.testkit.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A provider's event that is named an error is one, whatever its data look like. */
class NamedErrorTest {
  private static final String DONE = Wire.event("[DONE]") + Wire.LAST_CHUNK;

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
          .send(Wire.STREAM_HEAD + Wire.event(Wire.content("one")) + named(data) + DONE);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.served().attempts().getFirst().outcome()).isEqualTo("interrupted");
      assertThat(client.pieces().getLast()).contains("\"completion_tokens\":1");
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(Wire.STREAM_HEAD + Wire.event(Wire.role()) + named(data) + DONE);
      scenario.link(1).send(Wire.STREAM_HEAD + Wire.wholeStream("fine"));
      assertThat(client.text()).contains("fine", "\"provider\":\"beta\"");
    }
  }

  @Test
  void aChunkIsAChunkByAnyName() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(Wire.STREAM_HEAD + named(Wire.content("one")));
      scenario.link(0).send(Wire.event(Wire.finish("stop")) + DONE);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(ClientStream.of(client).content).hasToString("one");
    }
  }

  @Test
  void behindTheFinishItChangesNothing() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(Wire.STREAM_HEAD + Wire.event(Wire.content("one")));
      scenario.link(0).send(Wire.event(Wire.finish("stop")) + named("late") + DONE);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    }
  }

  private static String named(String data) {
    return Wire.chunk("event: error\n" + Wire.data(data));
  }
}
