package dev.tollgate.core.exchange;

import static dev.tollgate.core.exchange.TwoWordStream.DONE;
import static dev.tollgate.core.exchange.TwoWordStream.FINISHED;
import static dev.tollgate.core.exchange.TwoWordStream.TWO_WORDS;
import static dev.tollgate.core.exchange.TwoWordStream.USED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of the fault catalogue that break the protocol in a stream which succeeds all the same. */
@Tag("corpus")
class StreamAnomaliesTest {
  static Stream<String> anomalies() {
    return ANOMALIES.keySet().stream().sorted();
  }

  /** Streams by row: each has two words of content, and succeeds. */
  private static final Map<String, String> ANOMALIES =
      Map.ofEntries(
          Map.entry("U49", insert(OpenAiWire.event("{\"choices\":[{\"index\":7}]}"))),
          Map.entry(
              "U53",
              TWO_WORDS.replaceFirst("\r\n\r\n([0-9a-f]+)", "\r\n\r\n$1;x=y")
                  + USED.substring(TWO_WORDS.length())
                  + DONE),
          Map.entry("U54", USED + OpenAiWire.event("[DONE]") + "0\r\nX-T: trailer\r\n\r\n"),
          Map.entry("U58", USED + DONE + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
          Map.entry(
              "U59",
              insert(
                  OpenAiWire.event(
                      OpenAiWire.content("")
                          .replace("\"m\"", "\"other\\r\\nmodel\"")
                          .replace("\"c1\"", "\"c2\"")))),
          Map.entry("U60", FINISHED + OpenAiWire.LAST_CHUNK),
          Map.entry("U61", USED + OpenAiWire.LAST_CHUNK),
          Map.entry(
              "U62",
              TWO_WORDS
                  + OpenAiWire.event(OpenAiWire.usage(7, 1))
                  + USED.substring(TWO_WORDS.length())
                  + DONE),
          Map.entry(
              "U63",
              FINISHED
                  + OpenAiWire.event(OpenAiWire.usage(5, 5))
                  + OpenAiWire.event(OpenAiWire.usage(7, 2))
                  + DONE),
          Map.entry("U64", FINISHED + OpenAiWire.event(OpenAiWire.usage(0, 0)) + DONE),
          Map.entry("U65", FINISHED + OpenAiWire.event(OpenAiWire.usage(-7, 2)) + DONE),
          Map.entry(
              "U66",
              USED
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.event(OpenAiWire.content("late"))
                  + OpenAiWire.LAST_CHUNK),
          Map.entry("U68", FINISHED + OpenAiWire.event("{\"error\":{\"message\":\"late\"}}")));

  private static String insert(String bytes) {
    return TWO_WORDS + bytes + USED.substring(TWO_WORDS.length()) + DONE;
  }

  @ParameterizedTest
  @MethodSource("anomalies")
  void anOddStreamIsStillASuccess(String id) {
    FaultRow row = FaultRow.of(id);
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(requireNonNull(ANOMALIES.get(id)));

      assertThat(client.answer()).as(row.clientSees()).isEqualTo(new Answer.Streamed());
      assertThat(client.text())
          .contains("\"content\":\"one\"", "\"content\":\"two\"", "\"finish_reason\":\"stop\"")
          .doesNotContain("late", "\u00ff", "c2", "other", "X-T")
          .endsWith("data: [DONE]\n\n");
      assertThat(client.text().split("\"usage\":", -1)).as("one usage chunk").hasSize(2);
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
      boolean estimated = Set.of("U60", "U65", "U68").contains(id);
      assertThat(scenario.served().usage().estimated()).as(row.charge()).isEqualTo(estimated);
      if (!estimated) {
        assertThat(scenario.served().cost().value()).isEqualTo(id.equals("U64") ? 0 : 11);
      }
      long dropped = id.equals("U49") ? 1 : 0;
      assertThat(scenario.served().attempts().getFirst().droppedEvents()).isEqualTo(dropped);
      Map<String, Set<ProtocolAnomaly>> odd =
          Map.of(
              "U58", Set.of(ProtocolAnomaly.UNSOLICITED_BYTES),
              "U63", Set.of(ProtocolAnomaly.USAGES_DIFFER),
              "U65", Set.of(ProtocolAnomaly.USAGE_UNSOUND),
              "U66", Set.of(ProtocolAnomaly.UNSOLICITED_BYTES));
      assertThat(scenario.served().attempts().getFirst().anomalies())
          .isEqualTo(odd.getOrDefault(id, Set.of()));
      if (Set.of("U58", "U66").contains(id)) {
        assertThat(scenario.link(0).isOpen()).as("never reused").isFalse();
      }
    }
  }

  /** A dropped event could be one that had text: the answer would end as if it were whole. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"choices\":[}",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\" half",
        "[1,2]",
        "{\"choices\":null}",
        "{\"choices\":[{\"index\":0,\"delta\":\"text\"}]}"
      })
  void anEventThatCannotBeReadBreaksTheStream(String event) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(insert(OpenAiWire.event(event)));

      assertThat(client.text())
          .contains("\"content\":\"one\"")
          .doesNotContain("\"finish_reason\":\"stop\"");
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.STREAM_INTERRUPTED);
      assertThat(scenario.served().attempts().getFirst().droppedEvents()).isOne();
    }
  }

  @Test
  void bytesThatAreNotUtf8AreReplacedAndCounted() {
    byte[] stream = insert(OpenAiWire.event(OpenAiWire.content("\u007f"))).getBytes(UTF_8);
    for (int i = 0; i < stream.length; i++) {
      stream[i] = stream[i] == 0x7f ? (byte) 0xff : stream[i];
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(stream);

      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.text()).contains("\"content\":\"\ufffd\"", "\"content\":\"two\"");
      assertThat(scenario.served().attempts().getFirst().anomalies())
          .containsExactly(ProtocolAnomaly.INVALID_UTF8);
    }
  }

  @Test
  void aStreamWithoutFramingIsJudgedByItsFinishAlone() {
    FaultRow row = FaultRow.of("U56");
    String body =
        OpenAiWire.data(OpenAiWire.content("one"))
            + OpenAiWire.data(OpenAiWire.finish("stop"))
            + OpenAiWire.data(OpenAiWire.usage(7, 1));
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body)
          .fin();
      assertThat(client.answer()).as(row.clientSees()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
    }
  }
}
