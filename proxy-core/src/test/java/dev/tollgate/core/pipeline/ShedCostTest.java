package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.testkit.RawClient;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/**
 * What it costs to turn a request away: heap bytes of the loop's thread, everything included from
 * the head's first byte to the answer's last, for requests that one read brings together.
 */
final class ShedCostTest {
  private static final int AT_ONCE = 20;

  /** The leak check of the tests takes more than half of it. */
  private static final int BYTES_MAX = 8 * 1024;

  private static final String REQUEST =
      """
      POST /v1/chat/completions HTTP/1.1\r
      Host: localhost\r
      Authorization: Bearer sk-llm-0123456789abcdefghijklmnopqrstuvwxyz0123456789\r
      Content-Type: application/json\r
      User-Agent: test\r
      Accept: */*\r
      Content-Length: 2\r
      \r
      {}""";

  @Test
  void anAnswerTakesFewBytesOfHeap() throws Exception {
    try (TestGateway gateway = new TestGateway(Transport.auto());
        RawClient client = gateway.connect()) {
      gateway.load.verdict = new Shed(1);
      turnedAway(gateway, client, 200); // what is made once, and the compiler's
      var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long loop = gateway.loopThread().threadId();
      long before = threads.getThreadAllocatedBytes(loop);
      turnedAway(gateway, client, 100);
      long bytes = (threads.getThreadAllocatedBytes(loop) - before) / (100 * AT_ONCE);
      assertThat(bytes).isBetween(1L, (long) BYTES_MAX);
    }
  }

  private static void turnedAway(TestGateway gateway, RawClient client, int rounds) {
    for (int round = 0; round < rounds; round++) {
      client.send(REQUEST.repeat(AT_ONCE));
      for (int i = 0; i < AT_ONCE; i++) {
        assertThat(client.readResponse().status()).isEqualTo(503);
      }
      gateway.records.clear();
    }
  }
}
