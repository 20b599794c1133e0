package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RingAppenderTest {
  private static final int SIZE = 4;

  private final LoggerContext context = new LoggerContext();
  private final RingAppender ring = new RingAppender();
  private final SlowDisk disk = new SlowDisk();
  private final Logger logger = context.getLogger("test");

  @BeforeEach
  void start() {
    ring.setContext(context);
    ring.setName("test");
    ring.setSize(SIZE);
    disk.setContext(context);
    disk.start();
    ring.addAppender(disk);
    ring.start();
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    logger.addAppender(ring);
  }

  @AfterEach
  void stop() {
    disk.go.countDown();
    context.stop();
  }

  @Test
  void aBlockedDiskDelaysNoThreadAndDropsAreCounted() throws Exception {
    long before = RingAppender.dropped();
    logger.info("being written");
    assertThat(disk.reached.await(10, TimeUnit.SECONDS)).isTrue();

    for (int i = 0; i < SIZE + 3; i++) {
      logger.info("line {}", i);
    }

    assertThat(RingAppender.dropped() - before).isEqualTo(3);
  }

  @Test
  void stoppingWritesWhatTheRingHolds() {
    disk.go.countDown();
    logger.info("one");
    logger.info("two");

    ring.stop();

    assertThat(disk.lines).containsExactly("one", "two");
  }

  @Test
  void flushReturnsAfterTheLinesAreWritten() {
    disk.go.countDown();
    logger.error("the disk failed");

    LogFlush.flush(context, Duration.ofSeconds(20));

    assertThat(disk.lines).containsExactly("the disk failed");
  }

  @Test
  void flushTimesOutWithoutAReader() {
    logger.error("the disk failed");

    LogFlush.flush(context, Duration.ofMillis(1));

    assertThat(disk.lines).isEmpty();
  }

  @Test
  void theWriterFormatsWithTheNameOfTheLoggingThread() {
    disk.go.countDown();
    logger.info("{}", new NamesItsThread());

    ring.stop();

    assertThat(disk.lines).containsExactly("log-test");
    assertThat(disk.threads).containsExactly(Thread.currentThread().getName());
  }

  private static final class NamesItsThread {
    @Override
    public String toString() {
      return Thread.currentThread().getName();
    }
  }

  /** Appender that blocks until the test releases it. */
  private static final class SlowDisk extends AppenderBase<ILoggingEvent> {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<String> threads = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      reached.countDown();
      boolean interrupted = false;
      while (true) {
        try {
          go.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      lines.add(event.getFormattedMessage());
      threads.add(event.getThreadName());
    }
  }
}
