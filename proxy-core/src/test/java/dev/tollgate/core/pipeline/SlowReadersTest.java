package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that takes its reply slowly but steadily gets all of it. */
final class SlowReadersTest {
  private static final int REPLY_BYTES = 1024 * 1024;
  private static final int BYTES_PER_TAKE = 64 * 1024;

  private final FrozenClient client = new FrozenClient().narrow();

  @AfterEach
  void close() {
    client.channel.finishAndReleaseAll();
    assertThat(client.connections.open()).isZero();
  }

  @Test
  void aLargeReplyIsTakenHoweverLongThatLasts() {
    client.service.script(call -> call.answer(200, "x".repeat(REPLY_BYTES)));
    client.send(client.get());
    assertThat(takeSteadily()).endsWith("x".repeat(REPLY_BYTES));
    client.pass(Duration.ofSeconds(61));
    assertThat(client.isOpen()).isTrue();
  }

  @Test
  void aLargeReplyThatEndsItsConnectionToo() {
    client.service.script(call -> call.answer(200, "x".repeat(REPLY_BYTES)));
    client.send("GET /v1/models HTTP/1.0\r\n" + client.keys.authorization() + "\r\n\r\n");
    assertThat(takeSteadily()).endsWith("x".repeat(REPLY_BYTES));
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void whatIsQueuedAfterTheClientFellBehindHidesNoProgress() {
    client.service.script(
        call -> {
          call.open();
          for (int i = 0; i < REPLY_BYTES / 4096; i++) {
            call.event("x".repeat(4096));
          }
          call.end();
        });
    client.send(client.head("Content-Length: 2") + "{}");
    assertThat(takeSteadily()).endsWith("\r\n0\r\n\r\n");
    assertThat(client.isOpen()).isTrue();
  }

  private String takeSteadily() {
    StringBuilder all = new StringBuilder();
    for (int taken = 0; taken < 2 * REPLY_BYTES; taken += BYTES_PER_TAKE) {
      all.append(client.received());
      if (!client.channel.isWritable()) {
        client.pass(Duration.ofSeconds(40));
      }
      client.take(BYTES_PER_TAKE);
    }
    return all.append(client.received()).toString();
  }

  @Test
  void theEndOfAReplyThatEndsItsConnectionHasItsTimeToo() {
    client.service.script(call -> call.answer(200, "x".repeat(6_000)));
    client.send("GET /v1/models HTTP/1.0\r\n" + client.keys.authorization() + "\r\n\r\n");
    for (int i = 0; i < 6; i++) {
      client.pass(Duration.ofSeconds(40)).take(1_000);
      assertThat(client.isOpen()).isTrue();
    }
    assertThat(client.take(1_000).received()).endsWith("x");
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void whoStopsTakingAReplyThatEndsItsConnectionLosesIt() {
    client.service.hold();
    client.send("GET /v1/models HTTP/1.0\r\n" + client.keys.authorization() + "\r\n\r\n");
    client.pass(Duration.ofMinutes(30));
    client.service.calls.remove().answer(200, "x".repeat(6_000));
    client.take(1_000).pass(Duration.ofSeconds(59));
    assertThat(client.isOpen()).isTrue();
    client.pass(Duration.ofSeconds(16));
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void whoStopsTakingALargeReplyIsStalled() {
    client.service.script(call -> call.answer(200, "x".repeat(REPLY_BYTES)));
    client.send(client.get()).pass(Duration.ofSeconds(40)).take(1_000);
    client.pass(Duration.ofSeconds(20)).pass(Duration.ofSeconds(39));
    assertThat(client.isOpen()).isTrue();
    client.pass(Duration.ofSeconds(36));
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aDrainLeavesAnAnsweredClientTheRestOfItsReply() {
    client.service.script(call -> call.answer(200, "x".repeat(6_000)));
    client.send(client.get());
    drain();
    assertThat(client.isOpen()).isTrue();
    assertThat(client.take(7_000).received()).endsWith("x");
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aDrainLetsARequestInThatComesWhileTheLastReplyIsTaken() {
    client.service.script(call -> call.answer(200, "x".repeat(6_000)));
    client.send(client.get());
    drain();
    client.service.hold();
    client.send(client.get()).take(7_000);
    assertThat(client.isOpen()).isTrue();
    client.service.calls.remove();
    client.service.calls.remove().answer(200, "{}");
    assertThat(client.take(1_000).received()).endsWith("\r\n\r\n{}");
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aDrainLeavesAClientThatFellBehindTheEndOfItsStream() {
    client.service.script(
        call -> {
          call.open();
          while (call.downstream.isWritable()) {
            call.event("x".repeat(4096));
          }
          call.end();
        });
    client.send(client.head("Content-Length: 2") + "{}");
    drain();
    while (client.isOpen() && !client.channel.isWritable()) {
      client.take(1_000);
    }
    assertThat(client.isOpen()).isTrue();
    assertThat(client.take(20_000).received()).endsWith("\r\n0\r\n\r\n");
    assertThat(client.isOpen()).isFalse();
  }

  private void drain() {
    client.draining = true;
    client.channel.pipeline().fireUserEventTriggered(ConnectionEvent.DRAIN);
    client.channel.runPendingTasks();
  }
}
