package dev.tollgate.server.ops;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An event loop whose time stands still until the test moves it. */
final class ManualClock {
  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();

  EventExecutor loop() {
    return channel.eventLoop();
  }

  long nanoTime() {
    return ticker.nanoTime();
  }

  /** Runs what is due now. */
  void run() {
    channel.runPendingTasks();
  }

  /** Moves time on without running anything, as a blocked loop does. */
  void pass(Duration time) {
    ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Moves time on and runs what became due. */
  void advance(Duration time) {
    pass(time);
    run();
  }
}
