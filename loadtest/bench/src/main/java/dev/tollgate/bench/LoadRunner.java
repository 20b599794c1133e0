package dev.tollgate.bench;

import dev.tollgate.bench.BenchReport.Ended;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs a benchmark's loads one after another. Ends when all have run, the time limit is reached, or
 * the run is stopped.
 */
final class LoadRunner {
  private static final long POLL_MILLIS = 50;

  private final Driver driver;
  private final long endNanos;
  private final BooleanSupplier isStopped;
  private final Consumer<String> progress;
  private Ended ended = Ended.COMPLETE;

  /**
   * @param whole time limit of the whole run
   * @param isStopped true to end the run early
   * @param progress receives a status line several times a second
   */
  LoadRunner(Driver driver, Duration whole, BooleanSupplier isStopped, Consumer<String> progress) {
    this.driver = driver;
    this.endNanos = driver.nowNanos() + whole.toNanos();
    this.isStopped = isStopped;
    this.progress = progress;
  }

  /** Returns the reason of the end, {@code COMPLETE} while the run continues. */
  Ended ended() {
    return ended;
  }

  boolean shouldContinue() {
    if (ended == Ended.COMPLETE && isStopped.getAsBoolean()) {
      ended = Ended.INTERRUPTED;
    } else if (ended == Ended.COMPLETE && driver.nowNanos() >= endNanos) {
      ended = Ended.HARD_STOP;
    }
    return ended == Ended.COMPLETE;
  }

  /**
   * Runs a load to its end; returns the share of time during which the driver's thread was busy.
   */
  double run(
      String what,
      Connections connections,
      RequestTemplate work,
      LoadSchedule load,
      Duration timeout) {
    long beganNanos = driver.nowNanos();
    long cpuNanos = driver.cpuNanos();
    Driver.Running running = driver.start(connections, work, load, timeout.toNanos());
    while (!isDone(running)) {
      progress.accept(what + " · " + running.endedSoFar() + " ended");
      if (!shouldContinue()) {
        running.cut();
        running.done().join();
      }
    }
    long tookNanos = Math.max(1, driver.nowNanos() - beganNanos);
    return (double) (driver.cpuNanos() - cpuNanos) / tookNanos;
  }

  private static boolean isDone(Driver.Running running) {
    try {
      running.done().get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      running.cut();
      running.done().join();
      return true;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the load failed", e.getCause());
    }
  }
}
