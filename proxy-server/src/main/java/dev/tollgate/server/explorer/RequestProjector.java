package dev.tollgate.server.explorer;

import dev.tollgate.server.explorer.RequestProjection.Rules;
import dev.tollgate.server.explorer.RequestProjection.Step;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.RequestViewFamily;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.outage.StoreOutage;
import io.prometheus.metrics.core.metrics.Histogram;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that keeps the request view up to date, on a connection of its own: each second, and
 * without a pause while rows wait. It stops while the node sheds load, and waits for a store that
 * cannot be reached.
 */
public final class RequestProjector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestProjector.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration BETWEEN_CHECKS = Duration.ofMinutes(1);

  /** A connection that was quiet for so long during a statement is given up. */
  private static final Duration REPLY_TIMEOUT = Duration.ofMinutes(1);

  /** An hour that is made again is one statement. */
  private static final Duration CHECK_TIMEOUT = Duration.ofMinutes(30);

  private static final Duration LAST_STEP = Duration.ofSeconds(2);

  /** Upper bounds of the duration of a step, in seconds. */
  private static final double[] BATCH_SECONDS = {0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

  private final Sessions sessions;
  private final BooleanSupplier isOverloaded;
  private final RequestProjection projection = new RequestProjection(Rules.DEFAULT);
  private final RequestViewCheck check = new RequestViewCheck();
  private final StoreOutage outage = new StoreOutage(LOG, "rows of the request view");
  private final LongAdder rows = new LongAdder();
  private final Histogram batchSeconds;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;
  private volatile Lag lag = new Lag(Duration.ZERO, System.nanoTime());
  private long nextCheckNanos = System.nanoTime();
  private @Nullable Connection connection;

  /** Port that opens connections to the store. */
  public interface Sessions {
    Connection open() throws SQLException;
  }

  /** How far the view was behind, and when that was measured. */
  private record Lag(Duration behind, long atNanos) {
    double seconds() {
      return behind.toNanos() / 1e9 + (System.nanoTime() - atNanos) / 1e9;
    }
  }

  private RequestProjector(Sessions sessions, BooleanSupplier isOverloaded, Metrics metrics) {
    this.sessions = sessions;
    this.isOverloaded = isOverloaded;
    this.batchSeconds = metrics.histogram(RequestViewFamily.REQUEST_VIEW_BATCH, BATCH_SECONDS);
    metrics.gauge(RequestViewFamily.REQUEST_VIEW_LAG, () -> lag.seconds());
    metrics.counter(RequestViewFamily.REQUEST_VIEW_ROWS, rows::sum);
    metrics.gauge(RequestViewFamily.REQUEST_VIEW_MISMATCHES, check::mismatches);
    metrics.gauge(StoreFamily.STORE_FAILING, "request_view", outage::gauge);
    this.thread = Thread.ofPlatform().name("request-view").daemon().unstarted(this::run);
  }

  /**
   * Starts the thread.
   *
   * @param sessions connections without a short statement timeout; one at a time is used
   * @param isOverloaded true while the node sheds load
   */
  public static RequestProjector start(
      Sessions sessions, BooleanSupplier isOverloaded, Metrics metrics) {
    var projector = new RequestProjector(sessions, isOverloaded, metrics);
    projector.thread.start();
    return projector;
  }

  private void run() {
    boolean hasMore = false;
    while (!isStopping(hasMore ? Duration.ZERO : INTERVAL)) {
      hasMore = !isOverloaded.getAsBoolean() && attempt();
    }
    disconnect();
  }

  /** Returns whether the next step has work already. A failure is tried again later. */
  private boolean attempt() {
    long begunNanos = System.nanoTime();
    try {
      Connection open = connect();
      Step step = projection.step(open);
      rows.add(step.rows());
      lag = new Lag(step.behind(), System.nanoTime());
      batchSeconds.observe((System.nanoTime() - begunNanos) / 1e9);
      boolean hasMore = step.hasMore() || checkIfDue(open);
      outage.succeeded(begunNanos);
      return hasMore;
    } catch (SQLException | RuntimeException e) {
      disconnect();
      if (!outage.isCauseOf(e)) {
        LOG.warn("the request view could not be updated, which is tried again: {}", e.toString());
      }
      return false;
    }
  }

  private boolean checkIfDue(Connection open) throws SQLException {
    if (System.nanoTime() - nextCheckNanos < 0) {
      return false;
    }
    nextCheckNanos = System.nanoTime() + BETWEEN_CHECKS.toNanos(); // behind one that fails, too
    await(open, CHECK_TIMEOUT);
    boolean checked = check.checkNext(open);
    await(open, REPLY_TIMEOUT);
    if (checked) {
      nextCheckNanos = System.nanoTime();
    }
    return checked;
  }

  private Connection connect() throws SQLException {
    Connection open = connection;
    if (open == null) {
      open = sessions.open();
      connection = open;
      await(open, REPLY_TIMEOUT);
    }
    return open;
  }

  private static void await(Connection open, Duration reply) throws SQLException {
    open.setNetworkTimeout(Runnable::run, (int) reply.toMillis());
  }

  private void disconnect() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException broken) {
        LOG.debug("a connection could not be closed", broken);
      }
    }
  }

  private boolean isStopping(Duration atMost) {
    try {
      return stopping.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Ends after the running step; one that takes too long is left to the end of the process. */
  @Override
  public void close() {
    stopping.countDown();
    try {
      if (!thread.join(LAST_STEP)) {
        LOG.info("the request view is not up to date; another node or the next start continues");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
