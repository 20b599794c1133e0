package dev.tollgate.server.ops;

import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProcessFamily;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a changed configuration into use while requests run: everything is read and checked first,
 * then one snapshot is swapped. A configuration with a problem changes nothing, is logged problem
 * by problem and raises a metric.
 *
 * @param <S> the snapshot
 */
public final class ConfigReload<S> {
  private static final Logger log = LoggerFactory.getLogger(ConfigReload.class);

  /** What reading the configuration brought. */
  public sealed interface ReadResult<S> {
    record Valid<S>(S snapshot) implements ReadResult<S> {}

    /** Every problem, each with its place. */
    record Invalid<S>(List<String> problems) implements ReadResult<S> {}
  }

  /** What came of a reload. */
  public sealed interface Result {
    record Swapped() implements Result {}

    record Refused(List<String> problems) implements Result {}
  }

  private final Supplier<ReadResult<S>> read;
  private final Consumer<S> swap;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong reloads = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean lastSucceeded = true;

  /**
   * @param read reads and checks everything; changes nothing
   * @param swap puts the snapshot in use; it has been checked and must not fail
   */
  public ConfigReload(Supplier<ReadResult<S>> read, Consumer<S> swap) {
    this.read = read;
    this.swap = swap;
  }

  /** Shows reloads in the metrics. */
  public void register(Metrics metrics) {
    metrics.counter(ProcessFamily.RELOADS, reloads::get);
    metrics.counter(ProcessFamily.RELOAD_FAILURES, failures::get);
    metrics.gauge(ProcessFamily.RELOAD_OK, () -> lastSucceeded ? 1 : 0);
  }

  /** Reads and swaps; one at a time. Blocks. */
  public Result now() {
    lock.lock();
    try {
      Result result = attempt();
      lastSucceeded = result instanceof Result.Swapped;
      return result;
    } finally {
      lock.unlock();
    }
  }

  private Result attempt() {
    return switch (reading()) {
      case ReadResult.Valid<S>(S snapshot) -> {
        swap.accept(snapshot);
        reloads.incrementAndGet();
        log.info("configuration reloaded");
        yield new Result.Swapped();
      }
      case ReadResult.Invalid<S>(List<String> problems) -> {
        failures.incrementAndGet();
        log.error("configuration not reloaded, the old one stays: {} problem(s)", problems.size());
        problems.forEach(problem -> log.error("configuration: {}", problem));
        yield new Result.Refused(problems);
      }
    };
  }

  // A loader that fails in a way of its own is a refusal too: the old snapshot stays in use.
  private ReadResult<S> reading() {
    try {
      return read.get();
    } catch (RuntimeException e) {
      log.error("reading the configuration failed", e);
      return new ReadResult.Invalid<>(List.of(String.valueOf(e.getMessage())));
    }
  }
}
