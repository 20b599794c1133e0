package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.testkit.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stream of ten events, broken off at every byte and split at every byte (U40, U41, U43, U51).
 */
class EveryCutTest {
  private static final List<String> EVENTS = events();
  private static final byte[] STREAM = (Wire.STREAM_HEAD + String.join("", EVENTS)).getBytes(UTF_8);
  private static final int CONTENT_EVENTS = 6;

  enum Break {
    FIN,
    RST,
    STALL
  }

  private static List<String> events() {
    List<String> events = new ArrayList<>();
    events.add(Wire.event(Wire.role()));
    for (int n = 0; n < CONTENT_EVENTS; n++) {
      events.add(Wire.event(Wire.content("\u4f60\u597d-" + n)));
    }
    events.add(Wire.event(Wire.finish("stop")));
    events.add(Wire.event(Wire.usage(7, CONTENT_EVENTS)));
    events.add(Wire.event("[DONE]") + Wire.LAST_CHUNK);
    return events;
  }

  /** How many events are there whole among the first bytes, by their last data byte. */
  private static int eventsWithin(int bytes) {
    int end = Wire.STREAM_HEAD.length();
    int count = 0;
    for (String event : EVENTS) {
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
  @EnumSource
  void aStreamThatBreaksOffIsNeverTakenForAWholeOneNorHalfAnEventRelayed(Break how) {
    for (int cut = 0; cut < STREAM.length; cut++) {
      try {
        breaksOff(how, cut);
      } catch (AssertionError e) {
        throw new AssertionError("cut at " + cut + " by " + how + ": " + e.getMessage(), e);
      }
    }
  }

  private static void breaksOff(Break how, int cut) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      ProviderLink provider = scenario.link(0);
      if (cut > 0) {
        provider.send(STREAM, 0, cut);
      }
      end(scenario, provider, how);
      int whole = eventsWithin(cut);
      // The end of a read or of the stream stands for a last blank line.
      int relayed = Math.max(0, Math.min(CONTENT_EVENTS, contentEvents(client)));
      assertThat(relayed)
          .isBetween(
              Math.min(CONTENT_EVENTS, Math.max(0, whole - 1)), Math.min(CONTENT_EVENTS, whole));
      if (client.text().contains("\"finish_reason\":\"stop\"")) {
        assertThat(client.answer()).isEqualTo(new Answer.Streamed());
        assertThat(client.text()).endsWith("data: [DONE]\n\n");
        assertThat(scenario.record().ending()).isIn(Ending.OK, Ending.OK_ESTIMATED);
      } else if (relayed > 0) {
        assertThat(client.fault().code().wire())
            .isEqualTo(how == Break.FIN ? "provider_disconnect" : "stream_interrupted");
        assertThat(scenario.served().usage().completionTokens()).isGreaterThanOrEqualTo(relayed);
        assertThat(scenario.served().usage().estimated()).isTrue();
        assertThat(scenario.links()).isOne();
      } else {
        scenario.link(1).send(Wire.STREAM_HEAD + Wire.wholeStream("fine"));
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

  @Test
  void theClientGetsTheSameBytesHoweverTheStreamIsSplit() {
    String whole = relayed(STREAM.length);
    for (int bytes = 1; bytes < 200; bytes++) {
      assertThat(relayed(bytes)).as("split into reads of " + bytes).isEqualTo(whole);
    }
    Seeds.forEach(
        50, random -> assertThat(relayed(random.ints(1, 300).iterator()::next)).isEqualTo(whole));
  }

  private static String relayed(int bytesPerRead) {
    return relayed(() -> bytesPerRead);
  }

  private static String relayed(Supplier<Integer> sizes) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      int at = 0;
      while (at < STREAM.length) {
        int to = Math.min(STREAM.length, at + sizes.get());
        scenario.link(0).send(STREAM, at, to);
        at = to;
      }
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.link(0).isOpen()).as("the connection serves again").isTrue();
      return client.text();
    }
  }
}
