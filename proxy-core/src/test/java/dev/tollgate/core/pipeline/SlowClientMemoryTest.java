package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.pipeline.ScriptedService.Call;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What clients make the gateway hold that take slowly, not at all, or send ahead: rows C08, C09 and
 * C10, in bytes.
 */
final class SlowClientMemoryTest {
  private static final int QUEUED_BYTES_MAX = 48 * 1024;

  /** What one read from a provider may bring. */
  private static final String PIECE = "x".repeat(31 * 1024);

  private static final int PIPELINED = 50;
  private static final int AHEAD_BYTES_MAX = 16 * 1024;

  private final FrozenClient client = new FrozenClient();

  @AfterEach
  void close() {
    client.channel.finishAndReleaseAll();
    assertThat(client.connections.open()).isZero();
  }

  @Test
  void aReaderThatStandsStillHoldsLittleUntilItIsClosed() throws Exception {
    Call stream = stream();
    for (int second = 0; second < 59; second++) {
      fill(stream);
      client.pass(Duration.ofSeconds(1));
    }
    assertThat(client.isOpen()).isTrue();
    client.pass(Duration.ofSeconds(16));
    assertThat(client.isOpen()).isFalse();
    assertThat(client.channel.queued()).isZero();
  }

  @Test
  void aReaderOfAHundredBytesASecondHoldsAsLittleAndIsServed() throws Exception {
    Call stream = stream();
    for (int second = 0; second < 3_600; second++) {
      fill(stream);
      client.take(100).pass(Duration.ofSeconds(1));
      assertThat(client.isOpen()).isTrue();
    }
    assertThat(client.received().length()).isBetween(300_000, 360_000);
    stream.end();
    client.take(QUEUED_BYTES_MAX);
    assertThat(client.received()).endsWith("\r\n0\r\n\r\n");
  }

  @Test
  void fiftyRequestsSentAheadAreHeldAsBytesAndAnsweredInOrder() throws Exception {
    Call stream = streamOfAReader();
    for (int n = 0; n < PIPELINED; n++) {
      client.send(client.get().replace("/v1/models", "/v1/models?" + n));
      assertThat(client.bytesHeld()).isLessThanOrEqualTo(2 * AHEAD_BYTES_MAX);
    }
    stream.event("one");
    assertThat(client.service.calls).as("one request at a time").isEmpty();
    client.service.script(call -> call.answer(200, "\"" + call.request.argument() + "\""));
    stream.end();
    client.channel.runPendingTasks();
    String all = client.received();
    int at = all.indexOf("\r\n0\r\n\r\n");
    for (int n = 0; n < PIPELINED; n++) {
      at = all.indexOf("\"" + n + "\"", at);
      assertThat(at).as("answer %d behind the one before", n).isPositive();
    }
  }

  @Test
  void megabytesSentAheadAreNotBufferedAndEndTheConnection() throws Exception {
    Call stream = streamOfAReader();
    String padded = client.get().replace("Host: a", "Host: a\r\nX: " + "x".repeat(4_000));
    for (int n = 0; n < 1_000; n++) {
      client.send(padded);
      assertThat(client.bytesHeld()).isLessThanOrEqualTo(2 * AHEAD_BYTES_MAX);
    }
    stream.event("one");
    stream.end();
    assertThat(client.received()).endsWith("data: one\n\n\r\n0\r\n\r\n");
    assertThat(client.isOpen()).isFalse();
    assertThat(client.service.calls).isEmpty();
  }

  private Call streamOfAReader() throws Exception {
    client.service.hold();
    client.send(client.head("Content-Length: 2") + "{}");
    Call stream = client.service.awaitCall();
    stream.open();
    return stream;
  }

  private Call stream() throws Exception {
    client.narrow().service.hold();
    client.send(client.head("Content-Length: 2") + "{}");
    Call stream = client.service.awaitCall();
    stream.open();
    return stream;
  }

  /** A provider that is read on whenever the client is writable. */
  private void fill(Call stream) {
    while (stream.downstream.isWritable()) {
      stream.event(PIECE);
      assertThat(client.channel.queued()).isLessThanOrEqualTo(QUEUED_BYTES_MAX);
    }
  }
}
