package dev.tollgate.core.exchange;

import static dev.tollgate.core.exchange.ResumeTest.requireWhole;
import static dev.tollgate.core.exchange.ResumeTest.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of a delta that are no content do not prevent failover. */
class AnnotationsTest {
  private static final String GROQ = "wire/fixtures/groq/stream-reasoning--gpt-oss-120b";
  private static final String WRITER = "wire/fixtures/writer/chat-stream-tool--palmyra-x4";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"graph_data\":{\"sources\":null,\"status\":null,\"subqueries\":null}",
        "\"graph_data\":{\"sources\":[],\"status\":\"\",\"more\":{}}",
        "\"graph_data\":{ }",
        "\"channel\":\"analysis\""
      })
  void aProviderThatDiesBehindThemAloneIsReplaced(String members) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + delta("\"role\":\"assistant\"," + members))
          .fin();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      requireWhole(client, "fine");
      assertThat(client.text()).doesNotContain("graph_data", "channel");
    }
  }

  @Test
  void theyReachTheClientFromAnyProvider() {
    String members = "\"graph_data\":{\"sources\":null},\"channel\":\"final\"";
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + delta("\"role\":\"assistant\"," + members));
      scenario.link(0).send(delta("\"content\":\"one\"," + members));
      scenario
          .link(0)
          .send(OpenAiWire.event(OpenAiWire.finish("stop")) + OpenAiWire.event("[DONE]"));
      requireWhole(client, "one");
      assertThat(client.text().split("\"sources\":null", -1)).hasSize(3);
      assertThat(client.text().split("\"channel\":\"final\"", -1)).hasSize(3);
    }
  }

  @Test
  void aChannelThatChangesAndDetailsThatRepeatTheTextAreContinued() {
    String beginning = thought("one ") + thought("two ") + said("it ", "final");
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()) + beginning)
          .reset();
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()) + thought("one"));
      scenario.link(1).send(thought(" two ") + said("it is", "final"));
      scenario
          .link(1)
          .send(OpenAiWire.event(OpenAiWire.finish("stop")) + OpenAiWire.event("[DONE]"));
      requireWhole(client, "it is");
      assertThat(client.text().split("reasoning_details", -1)).as("none twice").hasSize(3);
    }
  }

  @Test
  void detailsOfATextThatTheClientHasInPartAreLeftOutAndOfANewOneKept() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()) + thought("one "))
          .reset();
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()) + thought("one two"));
      scenario.link(1).send(thought(" three") + said("it", "final"));
      scenario
          .link(1)
          .send(OpenAiWire.event(OpenAiWire.finish("stop")) + OpenAiWire.event("[DONE]"));
      requireWhole(client, "it");
      assertThat(client.text())
          .contains("\"reasoning\":\"two\"", "\"text\":\"one \"", "\"text\":\" three\"")
          .doesNotContain("\"text\":\"one two\"");
    }
  }

  @Test
  void detailsWithoutTheirTextAreContentThatCannotBeContinued() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()) + thought("one "));
      scenario.link(0).send(delta("\"reasoning_details\":[{\"data\":\"c2VjcmV0\"}]")).reset();
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.UNSUPPORTED);
    }
  }

  @Tag("corpus")
  @Test
  void aRecordedStreamWithChannelsIsContinued() {
    List<String> events = events(GROQ);
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + chunked(events.subList(0, 41))).reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + chunked(events) + OpenAiWire.LAST_CHUNK);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.CONTINUED);
      assertThat(client.text().split("\"reasoning\":", -1)).as("nothing twice").hasSize(73);
    }
  }

  @Tag("corpus")
  @Test
  void aRecordedFirstChunkOfNullsIsNoContent() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + chunked(events(WRITER).subList(0, 1))).fin();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      requireWhole(client, "fine");
    }
  }

  private static List<String> events(String fixture) {
    return Arrays.asList(Corpora.text(fixture + ".response.sse").split("(?<=\n\n)"));
  }

  private static String chunked(List<String> events) {
    return OpenAiWire.chunk(String.join("", events));
  }

  private static String thought(String text) {
    return delta(
        "\"reasoning\":\""
            + text
            + "\",\"channel\":\"analysis\",\"reasoning_details\":[{\"type\":\"reasoning.text\","
            + "\"text\":\""
            + text
            + "\"}]");
  }

  private static String said(String text, String channel) {
    return delta("\"content\":\"" + text + "\",\"channel\":\"" + channel + "\"");
  }

  private static String delta(String members) {
    return OpenAiWire.event(OpenAiWire.content("@").replace("\"content\":\"@\"", members));
  }
}
