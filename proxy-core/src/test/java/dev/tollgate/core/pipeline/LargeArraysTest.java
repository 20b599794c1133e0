package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.BodyWork;
import org.junit.jupiter.api.Test;

/**
 * The array of a large body is made on another thread, and whatever happens meanwhile ends once.
 */
class LargeArraysTest {
  private static final int LARGE = BodyWork.ON_LOOP_BYTES_MAX + 1;
  private static final String PIECE = " ".repeat(LARGE / 2);

  private final FrozenClient client = new FrozenClient();

  private FrozenClient chunk() {
    client.send(Integer.toHexString(PIECE.length()) + "\r\n" + PIECE + "\r\n");
    return run();
  }

  private FrozenClient run() {
    client.channel.runPendingTasks();
    return client;
  }

  private void hold() {
    client.offload.hold();
  }

  private void requireNothingHeld() {
    assertThat(client.inflightBytes.held()).isZero();
    assertThat(client.offload.held()).isZero();
    var _ = client.channel.close();
    assertThat(client.bytesHeld()).isZero();
  }

  @Test
  void aBodyOfKnownLengthWaitsForItsArray() {
    hold();
    client.send(client.head("Expect: 100-continue", "Content-Length: " + LARGE));
    assertThat(client.received()).as("nothing is asked for").isEmpty();
    assertThat(client.inflightBytes.held()).isEqualTo(LARGE);
    client.offload.runNext();
    assertThat(run().received()).startsWith("HTTP/1.1 100 Continue");
    client.send("x".repeat(LARGE));
    assertThat(run().service.calls).hasSize(1);
    var _ = client.channel.close();
  }

  @Test
  void aBodyOfUnknownLengthGrowsElsewhere() {
    client.send(client.head("Transfer-Encoding: chunked"));
    chunk();
    hold();
    chunk();
    chunk();
    assertThat(client.offload.held()).isOne();
    client.offload.runNext();
    run();
    client.send("0\r\n\r\n");
    while (client.offload.held() > 0) {
      client.offload.runNext();
      run();
    }
    assertThat(client.service.calls).hasSize(1);
    assertThat(client.service.calls.element().request.body().length())
        .isEqualTo(3 * PIECE.length());
    var _ = client.channel.close();
  }

  @Test
  void aClientThatLeavesMeanwhile() {
    hold();
    client.send(client.head("Content-Length: " + LARGE));
    var _ = client.channel.close();
    assertThat(client.inflightBytes.held()).as("the array is being made").isEqualTo(LARGE);
    client.offload.runNext();
    run();
    requireNothingHeld();
    assertThat(client.records).hasSize(1);
  }

  @Test
  void aClientThatLeavesWhileItsArrayGrows() {
    client.send(client.head("Transfer-Encoding: chunked"));
    chunk();
    hold();
    chunk();
    chunk();
    var _ = client.channel.close();
    client.offload.runNext();
    run();
    requireNothingHeld();
  }

  @Test
  void aFullQueueRefusesTheBody() {
    hold();
    client.send(client.head("Content-Length: " + LARGE));
    client.offload.refuseNext();
    assertThat(run().received())
        .startsWith("HTTP/1.1 503 ")
        .containsIgnoringCase("\r\nretry-after: ");
    requireNothingHeld();
  }
}
