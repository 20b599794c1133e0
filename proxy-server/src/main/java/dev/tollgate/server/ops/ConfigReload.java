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
 * Reload of the configuration file while requests run: reads and checks everything, then swaps one
 * snapshot. A configuration with a problem changes nothing; each problem is logged, and a metric
 * counts the failed reload.
 *
 * @param <S> type of the snapshot
 */
public final class ConfigReload<S> {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigReload.class);

  /** Result of reading the configuration file for a reload: a snapshot, or all problems. */
  public sealed interface ReadResult<S> {
    record Valid<S>(S snapshot) implements ReadResult<S> {}

    /** The configuration has these problems, each with its position. */
    record Invalid<S>(List<String> problems) implements ReadResult<S> {}
  }

  /** Result of a reload: the new snapshot is in use, or the old one was kept. */
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
   * @param swap puts the checked snapshot in use; must not fail
   */
  public ConfigReload(Supplier<ReadResult<S>> read, Consumer<S> swap) {
    this.read = read;
    this.swap = swap;
  }

  /** Registers the metrics of reloads. */
  public void register(Metrics metrics) {
    metrics.counter(ProcessFamily.RELOADS, reloads::get);
    metrics.counter(ProcessFamily.RELOAD_FAILURES, failures::get);
    metrics.gauge(ProcessFamily.RELOAD_OK, () -> lastSucceeded ? 1 : 0);
  }

  /** Reads and swaps, one reload at a time. Calls block. */
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
        LOG.info("configuration reloaded");
        yield new Result.Swapped();
      }
      case ReadResult.Invalid<S>(List<String> problems) -> {
        failures.incrementAndGet();
        LOG.error(
            "configuration not reloaded, the old one stays in use: {} problem(s)", problems.size());
        problems.forEach(problem -> LOG.error("configuration: {}", problem));
        yield new Result.Refused(problems);
      }
    };
  }

  // An unexpected failure of the loader is a refusal too: the old snapshot stays in use.
  private ReadResult<S> reading() {
    try {
      return read.get();
    } catch (RuntimeException e) {
      LOG.error("reading the configuration failed", e);
      return new ReadResult.Invalid<>(List.of(String.valueOf(e.getMessage())));
    }
  }
}
