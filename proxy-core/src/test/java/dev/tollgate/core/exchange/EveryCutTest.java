package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stream of ten events of every kind, broken off at every byte and split at every byte (U40, U41,
 * U43, U51).
 */
class EveryCutTest {
  private static final int CONTENT_EVENTS = 6;
  private static final Pattern OWN_ID = Pattern.compile("(resp|msg)_\\w+");

  enum Break {
    FIN,
    RST,
    STALL
  }

  /** A request, the reply of its provider, and the mark of completeness for the client. */
  enum Kind {
    CHAT(
        Modality.CHAT,
        Endpoint.CHAT_COMPLETIONS,
        TestCatalog.STREAM_REQUEST,
        OpenAiWire.role(),
        OpenAiWire.content("WORD"),
        OpenAiWire.finish("stop"),
        "\"finish_reason\":\"stop\""),
    COMPLETION(
        Modality.COMPLETION,
        Endpoint.COMPLETIONS,
        "{\"model\":\"acme/one\",\"stream\":true,\"prompt\":\"Say something.\"}",
        OpenAiWire.text(0, "", "null"),
        OpenAiWire.text(0, "WORD", "null"),
        OpenAiWire.text(0, "", "\"stop\""),
        "\"finish_reason\":\"stop\""),
    RESPONSE(
        Modality.CHAT,
        Endpoint.RESPONSES,
        "{\"model\":\"acme/one\",\"stream\":true,\"input\":\"Say something.\"}",
        OpenAiWire.role(),
        OpenAiWire.content("WORD"),
        OpenAiWire.finish("stop"),
        "\"type\":\"response.completed\"");

    private final Modality modality;
    private final Endpoint endpoint;
    private final String request;
    private final String first;
    private final String content;
    private final String finish;
    private final String wholeMark;

    Kind(
        Modality modality,
        Endpoint endpoint,
        String request,
        String first,
        String content,
        String finish,
        String wholeMark) {
      this.modality = modality;
      this.endpoint = endpoint;
      this.request = request;
      this.first = first;
      this.content = content;
      this.finish = finish;
      this.wholeMark = wholeMark;
    }

    /** The events of a stream with these words. */
    private List<String> events(List<String> words) {
      List<String> events = new ArrayList<>();
      events.add(OpenAiWire.event(first));
      words.forEach(word -> events.add(OpenAiWire.event(content.replace("WORD", word))));
      events.add(OpenAiWire.event(finish));
      events.add(OpenAiWire.event(OpenAiWire.usage(7, words.size())));
      events.add(OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK);
      return events;
    }

    private List<String> events() {
      return events(IntStream.range(0, CONTENT_EVENTS).mapToObj(n -> "\u4f60\u597d-" + n).toList());
    }

    private byte[] stream() {
      return (OpenAiWire.STREAM_HEAD + String.join("", events())).getBytes(UTF_8);
    }

    private Scenario scenario(String... names) {
      Provider[] providers = Stream.of(names).map(TestCatalog::provider).toArray(Provider[]::new);
      return Scenario.of(TestCatalog.of(modality, providers));
    }
  }

  /** How a connection breaks is the same whatever it was asked for: one kind is enough. */
  static Stream<Arguments> everyBreak() {
    return Arrays.stream(Kind.values())
        .flatMap(kind -> Arrays.stream(Break.values()).map(how -> Arguments.of(kind, how)))
        .filter(one -> one.get()[0] == Kind.CHAT || one.get()[1] == Break.FIN);
  }

  /** How many events are there whole among the first bytes, by their last data byte. */
  private static int eventsWithin(List<String> events, int bytes) {
    int end = OpenAiWire.STREAM_HEAD.length();
    int count = 0;
    for (String event : events) {
      int dataEnd = event.lastIndexOf("\n\n") + 2;
      if (bytes < end + event.substring(0, dataEnd).getBytes(UTF_8).length) {
        return count;
      }
      count++;
      end += event.getBytes(UTF_8).length;
    }
    return count;
  }

  @ParameterizedTest
  @MethodSource("everyBreak")
  void aStreamThatBreaksOffIsNeverTakenForAWholeOneNorHalfAnEventRelayed(Kind kind, Break how) {
    byte[] stream = kind.stream();
    for (int cut = 0; cut < stream.length; cut++) {
      try {
        breaksOff(kind, stream, how, cut);
      } catch (AssertionError e) {
        throw new AssertionError("cut at " + cut + " by " + how + ": " + e.getMessage(), e);
      }
    }
  }

  private static void breaksOff(Kind kind, byte[] stream, Break how, int cut) {
    try (var scenario = kind.scenario("alpha", "beta")) {
      RecordedClient client = scenario.ask(kind.endpoint, kind.request);
      ProviderLink provider = scenario.link(0);
      if (cut > 0) {
        provider.send(stream, 0, cut);
      }
      end(scenario, provider, how);
      int whole = eventsWithin(kind.events(), cut);
      // The end of a read or of the stream counts as a last blank line.
      int relayed = Math.max(0, Math.min(CONTENT_EVENTS, contentEvents(client)));
      assertThat(relayed)
          .isBetween(
              Math.min(CONTENT_EVENTS, Math.max(0, whole - 1)), Math.min(CONTENT_EVENTS, whole));
      if (client.text().contains(kind.wholeMark)) {
        assertThat(client.answer()).isEqualTo(new Answer.Streamed());
        assertThat(client.text()).endsWith("data: [DONE]\n\n");
        assertThat(scenario.record().outcome())
            .isIn(RequestOutcome.OK, RequestOutcome.OK_ESTIMATED);
      } else if (relayed > 0) {
        assertThat(client.fault().code().wire())
            .isEqualTo(how == Break.FIN ? "provider_disconnect" : "stream_interrupted");
        assertThat(scenario.served().usage().completionTokens()).isGreaterThanOrEqualTo(relayed);
        assertThat(scenario.served().usage().estimated()).isTrue();
        assertThat(scenario.links()).isOne();
      } else {
        String fine = String.join("", kind.events(List.of("fine")));
        scenario.link(1).send(OpenAiWire.STREAM_HEAD + fine);
        assertThat(client.answer()).isEqualTo(new Answer.Streamed());
        assertThat(scenario.served().cost().value()).isEqualTo(9);
      }
      assertThat(provider.isOpen()).isFalse();
    }
  }

  private static void end(Scenario scenario, ProviderLink provider, Break how) {
    switch (how) {
      case FIN -> provider.fin();
      case RST -> provider.reset();
      case STALL -> {
        for (int n = 0; n < 70 && provider.isOpen(); n++) {
          scenario.passCoarse(1_000);
        }
      }
    }
    scenario.run();
  }

  private static int contentEvents(RecordedClient client) {
    int count = 0;
    while (client.text().contains("\u4f60\u597d-" + count)) {
      count++;
    }
    return count;
  }

  @ParameterizedTest
  @EnumSource
  void theClientGetsTheSameBytesHoweverTheStreamIsSplit(Kind kind) {
    byte[] stream = kind.stream();
    String whole = relayed(kind, stream, () -> stream.length);
    for (int n = 1; n < (kind == Kind.CHAT ? 200 : 40); n++) {
      int bytes = n;
      assertThat(relayed(kind, stream, () -> bytes)).as("reads of " + bytes).isEqualTo(whole);
    }
    Seeds.forEach(
        50,
        random ->
            assertThat(relayed(kind, stream, random.ints(1, 300).iterator()::next))
                .isEqualTo(whole));
  }

  private static String relayed(Kind kind, byte[] stream, Supplier<Integer> sizes) {
    try (var scenario = kind.scenario("alpha")) {
      RecordedClient client = scenario.ask(kind.endpoint, kind.request);
      int at = 0;
      while (at < stream.length) {
        int to = Math.min(stream.length, at + sizes.get());
        scenario.link(0).send(stream, at, to);
        at = to;
      }
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.link(0).isOpen()).as("the connection serves again").isTrue();
      return OWN_ID.matcher(client.text()).replaceAll("an-id");
    }
  }
}
