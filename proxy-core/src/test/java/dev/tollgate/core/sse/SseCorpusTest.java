package dev.tollgate.core.sse;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.Corpora;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shared event stream cases: whole, byte by byte and split at every position. */
@Tag("corpus")
class SseCorpusTest {
  @Test
  void everyCaseGivesItsEventsHoweverItIsCut() throws IOException {
    JsonNode cases = new ObjectMapper().readTree(Corpora.bytes("wire/sse/cases.json")).get("cases");
    assertThat(cases).hasSizeGreaterThanOrEqualTo(40);
    for (JsonNode one : cases) {
      byte[] stream = Base64.getDecoder().decode(one.get("bytes_b64").textValue());
      RecordedEvents recorded = StreamSplits.decodeAllWays(stream);
      JsonNode expect = one.get("expect");
      assertThat(recorded.events()).as(one.get("name").textValue()).isEqualTo(events(expect));
      assertThat(recorded.comments())
          .as("comments of %s", one.get("name").textValue())
          .isEqualTo(expect.get("comments").intValue());
    }
  }

  private static List<String> events(JsonNode expect) {
    List<String> events = new ArrayList<>();
    expect.get("events").forEach(event -> events.add(event(event)));
    if (expect.has("lenient_last_event")) {
      events.add(event(expect.get("lenient_last_event")));
    }
    return events;
  }

  private static String event(JsonNode event) {
    return event.get("event").textValue() + "|" + event.get("data").textValue();
  }
}
