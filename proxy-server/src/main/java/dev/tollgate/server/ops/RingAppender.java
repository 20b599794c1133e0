package dev.tollgate.server.ops;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import java.io.Flushable;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous logback appender: a bounded ring, and a thread that formats and writes. Event loops
 * thus wait for no terminal or disk. Unlike logback's AsyncAppender, it does not wake the thread
 * for each line. A full ring drops the event and counts it.
 */
public final class RingAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent> {
  private static final int SIZE_DEFAULT = 8192;
  private static final long FLUSH_MILLIS_MAX = 2_000;
  private static final long GATHERING_MILLIS = 10;
  private static final LongAdder DROPPED = new LongAdder();

  private final AppenderAttachableImpl<ILoggingEvent> targets = new AppenderAttachableImpl<>();
  private int size = SIZE_DEFAULT;
  private BlockingQueue<ILoggingEvent> ring = new ArrayBlockingQueue<>(1);
  private CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Thread writer;

  /** Returns the number of events dropped by this process. */
  public static long dropped() {
    return DROPPED.sum();
  }

  /** Sets the capacity in events; called from logback's configuration. */
  public void setSize(int size) {
    this.size = size;
  }

  @Override
  public void start() {
    ring = new ArrayBlockingQueue<>(size);
    stopping = new CountDownLatch(1);
    super.start();
    writer = Thread.ofPlatform().name("log-" + getName()).daemon().start(this::write);
  }

  /** Writes what the ring holds, for at most two seconds. */
  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    super.stop();
    stopping.countDown();
    Thread last = writer;
    if (last != null) {
      last.interrupt();
      join(last);
    }
    targets.detachAndStopAllAppenders();
  }

  @Override
  protected void append(ILoggingEvent event) {
    // The thread name is the only part that depends on this thread; the writer formats the rest.
    event.getThreadName();
    if (!ring.offer(event)) {
      DROPPED.increment();
    }
  }

  private void write() {
    try {
      while (isStarted()) {
        targets.appendLoopOnAppenders(ring.take());
        writeWaiting();
        // Threads that log meanwhile find no sleeping writer, and so wake none.
        stopping.await(GATHERING_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException stopped) {
      // What is in the ring is still written.
    }
    writeWaiting();
  }

  private void writeWaiting() {
    for (ILoggingEvent event = ring.poll(); event != null; event = ring.poll()) {
      targets.appendLoopOnAppenders(event);
    }
    targets.iteratorForAppenders().forEachRemaining(RingAppender::flush);
  }

  private static void flush(Appender<ILoggingEvent> target) {
    if (target instanceof Flushable buffered) {
      try {
        buffered.flush();
      } catch (IOException e) {
        target.addError("lines may be lost", e);
      }
    }
  }

  private void join(Thread last) {
    try {
      last.join(FLUSH_MILLIS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void addAppender(Appender<ILoggingEvent> target) {
    targets.addAppender(target);
  }

  @Override
  public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
    return targets.iteratorForAppenders();
  }

  @Override
  public @Nullable Appender<ILoggingEvent> getAppender(String name) {
    return targets.getAppender(name);
  }

  @Override
  public boolean isAttached(Appender<ILoggingEvent> target) {
    return targets.isAttached(target);
  }

  @Override
  public void detachAndStopAllAppenders() {
    targets.detachAndStopAllAppenders();
  }

  @Override
  public boolean detachAppender(Appender<ILoggingEvent> target) {
    return targets.detachAppender(target);
  }

  @Override
  public boolean detachAppender(String name) {
    return targets.detachAppender(name);
  }
}
