package dev.tollgate.server.ops;

import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Measures how long tasks wait on event loops, by probe tasks in the queue of provider events. Each
 * loop has at most one probe at a time. A task that has not run counts with the time it has waited
 * so far.
 */
final class EventLoopDelay {
  private final LongSupplier nanos;
  private final List<Probe> probes = new ArrayList<>();

  EventLoopDelay(Iterable<? extends EventExecutor> loops, LongSupplier nanos) {
    this.nanos = nanos;
    for (EventExecutor loop : loops) {
      probes.add(new Probe(loop));
    }
  }

  /** Sends a task to each loop that has none pending. */
  void probe() {
    probes.forEach(Probe::send);
  }

  /** Returns the mean wait since the last sample, on the slowest loop. */
  Duration sample() {
    long worst = 0;
    for (Probe probe : probes) {
      worst = Math.max(worst, probe.mean());
    }
    return Duration.ofNanos(worst);
  }

  /** Probe task of one loop, which one thread sends and samples and the loop runs. */
  private final class Probe implements Runnable {
    private static final long NONE = Long.MIN_VALUE;

    private final EventExecutor loop;
    private final AtomicLong sentNanos = new AtomicLong(NONE);
    private final AtomicLong waitedNanos = new AtomicLong();
    private final AtomicLong count = new AtomicLong();

    Probe(EventExecutor loop) {
      this.loop = loop;
    }

    void send() {
      if (sentNanos.compareAndSet(NONE, nanos.getAsLong())) {
        try {
          loop.execute(() -> ClientPriorityIoHandler.executeQueued(this));
        } catch (RejectedExecutionException loopHasEnded) {
          sentNanos.set(NONE);
        }
      }
    }

    @Override
    public void run() {
      waitedNanos.addAndGet(nanos.getAsLong() - sentNanos.get());
      count.incrementAndGet();
      sentNanos.set(NONE);
    }

    // A task that ends between these two reads is counted slightly wrong, once.
    long mean() {
      long sent = sentNanos.get();
      long stuck = sent == NONE ? 0 : Math.max(0, nanos.getAsLong() - sent);
      long ended = count.getAndSet(0);
      long waited = waitedNanos.getAndSet(0);
      return ended == 0 ? stuck : Math.max(waited / ended, stuck);
    }
  }
}
