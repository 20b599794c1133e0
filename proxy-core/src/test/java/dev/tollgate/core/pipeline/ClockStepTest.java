package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Row D10: the wall clock is set an hour ahead or back while timeouts run. No timer is affected;
 * only the date in the request id follows.
 */
final class ClockStepTest {
  private static final String HOUR_AHEAD = "PT1H";
  private static final String HOUR_BACK = "PT-1H";

  private final FrozenClient client = new FrozenClient();

  @AfterEach
  void close() {
    client.channel.finishAndReleaseAll();
    assertThat(client.connections.open()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {HOUR_AHEAD, HOUR_BACK})
  void aHeadHasItsTimeAllTheSame(Duration step) {
    client.send("GET /v1/m");
    requireTime(Duration.ofSeconds(10), step);
  }

  @ParameterizedTest
  @ValueSource(strings = {HOUR_AHEAD, HOUR_BACK})
  void aBodyHasItsTimeAllTheSame(Duration step) {
    client.send(client.head("Content-Length: 100000") + "x");
    requireTime(Duration.ofSeconds(31), step);
    assertThat(client.inflightBytes.held()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {HOUR_AHEAD, HOUR_BACK})
  void aConnectionIdlesAsLongAsEver(Duration step) {
    client.send(client.get());
    assertThat(client.received()).startsWith("HTTP/1.1 200 ");
    requireTime(Duration.ofSeconds(620), step);
  }

  @ParameterizedTest
  @ValueSource(strings = {HOUR_AHEAD, HOUR_BACK})
  void aReaderThatStandsStillHasItsTimeAllTheSame(Duration step) {
    client.narrow().service.script(call -> call.answer(200, "x".repeat(1 << 20)));
    client.send(client.get());
    client.pass(Duration.ofSeconds(30));
    client.wallMillis += step.toMillis();
    client.pass(Duration.ofSeconds(29));
    assertThat(client.isOpen()).isTrue();
    client.pass(Duration.ofSeconds(16));
    assertThat(client.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {HOUR_AHEAD, HOUR_BACK})
  void aRequestIsDatedByTheClockAsItIsThen(Duration step) throws Exception {
    long before = client.wallMillis;
    client.send(client.get());
    assertThat(client.service.awaitCall().request.id().epochMillis()).isEqualTo(before);
    client.wallMillis += step.toMillis();
    client.send(client.get());
    assertThat(client.service.awaitCall().request.id().epochMillis())
        .isEqualTo(before + step.toMillis());
    assertThat(client.received()).contains("HTTP/1.1 200 ");
  }

  /** The connection is closed at its timeout and not before; the clock is set meanwhile. */
  private void requireTime(Duration time, Duration step) {
    Duration half = time.dividedBy(2);
    client.pass(half);
    client.wallMillis += step.toMillis();
    client.pass(time.minus(half).minusMillis(1_001));
    assertThat(client.isOpen()).isTrue();
    client.pass(Duration.ofSeconds(3));
    assertThat(client.isOpen()).isFalse();
  }
}
