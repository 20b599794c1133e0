package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ErrorStreamTest {
  private final LoggerContext context = new LoggerContext();
  private final Calls calls = new Calls();
  private final ErrorStream stream = new ErrorStream(calls);
  private final RingAppender ring = new RingAppender();
  private final Logger logger = context.getLogger("test");

  @BeforeEach
  void start() {
    stream.setContext(context);
    stream.start();
    ring.setContext(context);
    ring.setName("test");
    ring.addAppender(stream);
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    logger.addAppender(ring);
    ring.start();
  }

  @AfterEach
  void stop() {
    calls.go.countDown();
    context.stop();
  }

  @Test
  void pendingLinesAreWrittenInOneCall() throws Exception {
    logger.info("first");
    calls.reached.await();
    List<String> expected = new ArrayList<>(List.of("first"));
    for (int i = 0; i < 100; i++) {
      logger.info("line {} \u00e9", i);
      expected.add("line " + i + " \u00e9");
    }
    calls.go.countDown();
    ring.stop();

    assertThat(calls.text().lines()).containsExactlyElementsOf(expected);
    assertThat(calls.sizes).hasSize(2);
  }

  @Test
  void aFullBatchIsWrittenAtTheEndOfALine() {
    calls.go.countDown();
    String line = "x".repeat(10_000);
    for (int i = 0; i < 50; i++) {
      logger.info(line);
    }
    logger.info("y".repeat(100_000));
    ring.stop();

    assertThat(calls.text().lines()).hasSize(51).endsWith("y".repeat(100_000));
    assertThat(calls.sizes)
        .allSatisfy(size -> assertThat(size % 10_001 == 0 || size == 100_001).isTrue());
  }

  @Test
  void aRequestIsWrittenAsItsLine() {
    calls.go.countDown();
    logger.info("{}", new AccessLine(RequestRecords.streamed()));
    logger.info("{}", new AccessLine(RequestRecords.broken()));
    ring.stop();

    assertThat(calls.text().lines())
        .containsExactly(
            new AccessLine(RequestRecords.streamed()).toString(),
            new AccessLine(RequestRecords.broken()).toString());
  }

  /** Output stream that records each call; the first call waits until the test releases it. */
  private static final class Calls extends ByteArrayOutputStream {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final List<Integer> sizes = new ArrayList<>();

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
      reached.countDown();
      boolean interrupted = false;
      while (go.getCount() > 0) {
        try {
          go.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      sizes.add(length);
      super.write(bytes, from, length);
    }

    String text() {
      return toString(StandardCharsets.UTF_8);
    }
  }
}
