package dev.tollgate.core.exchange;

import static dev.tollgate.core.exchange.ResumeTest.attempts;
import static dev.tollgate.core.exchange.ResumeTest.begin;
import static dev.tollgate.core.exchange.ResumeTest.catalog;
import static dev.tollgate.core.exchange.ResumeTest.requireWhole;
import static dev.tollgate.core.exchange.ResumeTest.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Providers continue a stream in different ways: from its beginning, or with other field names. */
class ResumptionVariantsTest {
  private static final Provider BETA = TestCatalog.prefilled("beta", Prefill.MESSAGE);
  private static final String TEXT = "The quick brown fox jumps over the lazy dog. ";

  @Test
  void whatAProviderWritesOnceMoreThatWasHandedItIsHeldBack() {
    Seeds.forEach(
        50,
        random -> {
          try (var scenario = Scenario.of(catalog("alpha", BETA))) {
            RecordedClient client = scenario.ask(stream("prefill"));
            begin(scenario, pieces(TEXT, random));
            scenario.link(0).reset();
            assertThat(scenario.link(1).received()).contains("lazy dog.\"");
            scenario
                .link(1)
                .send(
                    OpenAiWire.STREAM_HEAD
                        + OpenAiWire.wholeStream(pieces(TEXT + "And so on.", random)));
            requireWhole(client, TEXT + "And so on.");
            assertThat(attempts(scenario).getLast()).isEqualTo("beta ok prefill");
          }
        });
  }

  @Test
  void aShortTextIsGuardedToo() {
    for (String text : List.of("Hello there, ", "One, two", "It was a dark and storm")) {
      for (String white : List.of("", "\\n", "\\n\\n ")) {
        try (var scenario = Scenario.of(catalog("alpha", BETA))) {
          RecordedClient client = scenario.ask(stream("prefill"));
          begin(scenario, text);
          scenario.link(0).reset();
          scenario
              .link(1)
              .send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream(white, text, "and so on."));
          requireWhole(client, text + "and so on.");
        }
      }
    }
  }

  @Test
  void whiteSpaceInFrontOfANewBeginningIsNoDifference() {
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      RecordedClient client = scenario.ask(stream("prefill"));
      begin(scenario, TEXT);
      scenario.link(0).reset();
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("\\n", " " + TEXT + "So on."));
      requireWhole(client, TEXT + "So on.");
    }
  }

  @Test
  void whiteSpaceInFrontOfAContinuationIsKept() {
    for (String rest : List.of("\\n", "\\nThe quick", "\\n\\nThe slow one.")) {
      try (var scenario = Scenario.of(catalog("alpha", BETA))) {
        RecordedClient client = scenario.ask(stream("prefill"));
        begin(scenario, TEXT.strip());
        scenario.link(0).reset();
        scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream(rest));
        requireWhole(client, TEXT.strip() + rest.replace("\\n", "\n"));
      }
    }
  }

  /** A continuation could not be distinguished from a repetition. */
  @ParameterizedTest
  @ValueSource(strings = {"Hi, ", "========", "1. 1. 1. "})
  void aTextOfAWordIsRepeatedAndNotHandedOver(String text) {
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      RecordedClient client = scenario.ask(stream("auto"));
      begin(scenario, text);
      scenario.link(0).reset();
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream(text, text, "and so on."));
      requireWhole(client, text + text + "and so on.");
      assertThat(attempts(scenario).getLast()).isEqualTo("beta ok replay");
    }
  }

  /** It begins as the text does, for fewer chars than would be no coincidence. */
  @ParameterizedTest
  @ValueSource(strings = {"The quick", "The quick brown fox up", "The", "T"})
  void whatOnlyBeginsAlikeIsNew(String continuation) {
    Seeds.forEach(
        20,
        random -> {
          try (var scenario = Scenario.of(catalog("alpha", BETA))) {
            RecordedClient client = scenario.ask(stream("prefill"));
            begin(scenario, TEXT);
            scenario.link(0).reset();
            scenario
                .link(1)
                .send(
                    OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream(pieces(continuation, random)));
            requireWhole(client, TEXT + continuation);
          }
        });
  }

  @Test
  void whatIsHeldBackComesAtTheEndWhateverTheEnd() {
    for (String end : List.of(OpenAiWire.event(OpenAiWire.finish("stop")), "")) {
      try (var scenario = Scenario.of(catalog("alpha", BETA))) {
        RecordedClient client = scenario.ask(stream("prefill"));
        begin(scenario, TEXT);
        scenario.link(0).reset();
        scenario
            .link(1)
            .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("The quick")) + end)
            .send(OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK);
        requireWhole(client, TEXT + "The quick");
      }
    }
  }

  @Test
  void anotherTextThatBeginsAlikeEndsTheStreamWithTheFirstProvidersFault() {
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      RecordedClient client = scenario.ask(stream("prefill"));
      begin(scenario, TEXT);
      scenario.link(0).reset();
      scenario
          .link(1)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.wholeStream("The quick brown fox jumps", " higher."));
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(client.fault().provider()).hasToString("alpha");
      assertThat(ClientStream.of(client).content).hasToString(TEXT);
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.DIVERGED);
    }
  }

  @Test
  void aRefrainIsNoNewBeginning() {
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      RecordedClient client = scenario.ask(stream("prefill"));
      begin(scenario, TEXT, TEXT);
      scenario.link(0).reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream(TEXT));
      requireWhole(client, TEXT + TEXT + TEXT);
    }
  }

  @Test
  void thoughtsHaveTwoNamesAndTheClientSeesOne() {
    List<String> names = List.of("reasoning", "reasoning_content");
    for (String first : names) {
      for (String second : List.of("reasoning", "reasoning_content", "both")) {
        try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
          RecordedClient client = scenario.ask(stream("replay"));
          scenario.link(0).send(OpenAiWire.STREAM_HEAD + thought(first, "Hm, ")).reset();
          scenario
              .link(1)
              .send(OpenAiWire.STREAM_HEAD + thought(second, "Hm, so") + thought(second, " be it."))
              .send(OpenAiWire.wholeStream("Yes."));
          requireWhole(client, "Yes.");
          String other = names.get(1 - names.indexOf(first));
          assertThat(client.text()).doesNotContain("\"" + other + "\"");
          assertThat(texts(client.text(), first)).isEqualTo("Hm, so be it.");
        }
      }
    }
  }

  @Test
  void whatEveryChunkSaysIsNoObstacle() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + named("one ", "A") + named("two ", "A"))
          .reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + named("one ", "A") + named("two three", "A"));
      scenario.link(1).send(OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK);
      requireWhole(client, "one two three");
    }
  }

  @Test
  void whatChangesFromChunkToChunkIs() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + named("one ", "A") + named("two ", "B"))
          .reset();
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.links()).isOne();
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.UNSUPPORTED);
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + named("one ", "A")).reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + named("one", "B"));
      assertThat(client.fault().provider()).hasToString("alpha");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.DIVERGED);
    }
  }

  private static String thought(String name, String text) {
    return delta(
        name.equals("both")
            ? "\"reasoning\":\"" + text + "\",\"reasoning_content\":\"" + text + "\""
            : "\"" + name + "\":\"" + text + "\"");
  }

  private static String named(String content, String name) {
    return delta("\"content\":\"" + content + "\",\"name\":\"" + name + "\"");
  }

  private static String delta(String members) {
    return OpenAiWire.event(
        "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{"
            + members
            + "},\"finish_reason\":null}]}");
  }

  private static String texts(String stream, String name) {
    StringBuilder text = new StringBuilder();
    String begins = "\"" + name + "\":\"";
    for (int at = stream.indexOf(begins); at >= 0; at = stream.indexOf(begins, at + 1)) {
      text.append(stream, at + begins.length(), stream.indexOf('"', at + begins.length()));
    }
    return text.toString();
  }

  private static String[] pieces(String text, Random random) {
    List<String> pieces = new ArrayList<>();
    for (int at = 0; at < text.length(); ) {
      int end = Math.min(text.length(), at + 1 + random.nextInt(20));
      pieces.add(text.substring(at, end));
      at = end;
    }
    return pieces.toArray(String[]::new);
  }
}
