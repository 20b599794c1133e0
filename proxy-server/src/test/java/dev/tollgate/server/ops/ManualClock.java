package dev.tollgate.server.ops;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Event loop whose time is moved by the test. */
final class ManualClock {
  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();

  EventExecutor loop() {
    return channel.eventLoop();
  }

  long nanoTime() {
    return ticker.nanoTime();
  }

  /** Runs the tasks that are due now. */
  void run() {
    channel.runPendingTasks();
  }

  /** Moves time without running tasks, as a blocked loop does. */
  void pass(Duration time) {
    ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Moves time and runs the tasks that became due. */
  void advance(Duration time) {
    pass(time);
    run();
  }
}
