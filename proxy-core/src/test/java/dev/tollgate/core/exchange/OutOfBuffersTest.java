package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Direct memory runs out (row D12): whichever buffer of a request finds no room, the request ends,
 * and nothing is held. What is held at the end, the scenario says.
 */
class OutOfBuffersTest {
  private static final List<String> STREAM =
      List.of(
          OpenAiWire.STREAM_HEAD,
          OpenAiWire.event(OpenAiWire.content("one")),
          OpenAiWire.event(OpenAiWire.content("two")),
          OpenAiWire.event(OpenAiWire.finish("stop")) + OpenAiWire.event(OpenAiWire.usage(7, 2)),
          OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, Long.MAX_VALUE})
  void aStreamEndsWhicheverBufferItDoesNotGet(long failures) {
    assertThat(eachBuffer(TestCatalog.STREAM_REQUEST, failures, STREAM)).isGreaterThan(4);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, Long.MAX_VALUE})
  void aPlainRequestDoesToo(long failures) {
    List<String> reply = List.of(OpenAiWire.completion("fine"));
    assertThat(eachBuffer(TestCatalog.PLAIN_REQUEST, failures, reply)).isGreaterThan(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, Long.MAX_VALUE})
  void soDoesOneThatIsTriedElsewhere(long failures) {
    List<String> oops = List.of(OpenAiWire.error(500, "server_error", "oops"));
    assertThat(eachBuffer(TestCatalog.STREAM_REQUEST, failures, oops, STREAM)).isGreaterThan(5);
  }

  /** Its body counts in the budget until it is written. */
  @ParameterizedTest
  @ValueSource(longs = {1, Long.MAX_VALUE})
  void soDoesOneThatIsTranslated(long failures) {
    Catalog catalog = TestCatalog.of(TestCatalog.ofDialect("bedrock", "alpha"));
    String said =
        "{\"output\":{\"message\":{\"content\":[{\"text\":\"fine\"}]}},\"stopReason\":\"end_turn\"}";
    List<String> reply = List.of(OpenAiWire.response(200, "OK", "", said));
    String request = TestCatalog.PLAIN_REQUEST.replace("Say", "x".repeat(100_000));
    assertThat(eachBuffer(catalog, request, failures, reply)).isGreaterThan(1);
  }

  /** Plays the request again and again, with one buffer more each time; says how many there are. */
  @SafeVarargs
  private static int eachBuffer(String request, long failures, List<String>... replies) {
    return eachBuffer(TestCatalog.of("alpha", "beta"), request, failures, replies);
  }

  @SafeVarargs
  private static int eachBuffer(
      Catalog catalog, String request, long failures, List<String>... replies) {
    for (int buffers = 0; ; buffers++) {
      try (var scenario = Scenario.of(catalog)) {
        scenario.buffers().ration(buffers, failures);
        RecordedClient client = scenario.ask(request);
        for (int n = 0; n < replies.length && scenario.links() > n; n++) {
          play(scenario, scenario.link(n), replies[n]);
        }
        scenario.run();
        if (!scenario.buffers().hasFailed()) {
          assertThat(client.isAnswered()).isTrue();
          return buffers;
        }
        scenario.passSeconds(20);
        assertThat(scenario.record().outcome()).isNotNull();
        scenario.buffers().ration(Long.MAX_VALUE, 0);
      }
    }
  }

  private static void play(Scenario scenario, ProviderLink link, List<String> reply) {
    assertThat(link.received()).as("the request, which is held until it is read").isNotNull();
    for (String piece : reply) {
      scenario.run();
      if (!link.isOpen() || !link.isReadPending()) {
        return;
      }
      link.send(piece);
    }
  }
}
