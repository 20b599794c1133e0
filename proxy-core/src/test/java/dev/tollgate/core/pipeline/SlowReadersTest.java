package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that takes its reply slowly but steadily gets all of it. */
final class SlowReadersTest {
  private final FrozenClient client = new FrozenClient().narrow();

  @AfterEach
  void close() {
    client.channel.finishAndReleaseAll();
    assertThat(client.connections.open()).isZero();
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
