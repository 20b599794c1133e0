package dev.tollgate.server.wiring;

import dev.tollgate.server.account.tenant.SpendingAlerts;
import dev.tollgate.server.outage.StoreOutage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that writes the alerts of organizations' spending: each minute, and at once after this
 * node changed a limit.
 */
final class SpendingAlertTimer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SpendingAlertTimer.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final SpendingAlerts alerts;
  private final StoreOutage outage = new StoreOutage(LOG, "alerts of spending");
  private final Semaphore wakeUps = new Semaphore(0);
  private final Thread thread =
      Thread.ofPlatform().name("spending-alerts").daemon().unstarted(this::run);
  private volatile boolean isClosed;

  private SpendingAlertTimer(SpendingAlerts alerts) {
    this.alerts = alerts;
  }

  static SpendingAlertTimer start(SpendingAlerts alerts) {
    var timer = new SpendingAlertTimer(alerts);
    timer.thread.start();
    return timer;
  }

  void wakeUp() {
    wakeUps.release();
  }

  private void run() {
    while (!isClosed) {
      send();
      try {
        if (wakeUps.tryAcquire(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
          wakeUps.drainPermits();
        }
      } catch (InterruptedException closed) {
        return;
      }
    }
  }

  private void send() {
    long begunNanos = System.nanoTime();
    try {
      int sent = alerts.send();
      outage.succeeded(begunNanos);
      if (sent > 0) {
        LOG.info("{} alerts of spending were sent", sent);
      }
    } catch (SQLException | RuntimeException e) {
      if (!outage.isCauseOf(e)) {
        LOG.warn("alerts of spending cannot be sent and will be retried: {}", e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
  }
}
