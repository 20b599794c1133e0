package dev.tollgate.server.wiring;

import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.LeaseClient;
import dev.tollgate.server.ledger.RollbackDetector;
import dev.tollgate.server.ledger.SettlerListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settler listener that shuts the process down in order after a rollback of the ledger store;
 * admission stops at once. The next start sends what the store lacks.
 */
public final class RollbackShutdown implements SettlerListener {
  private static final Logger LOG = LoggerFactory.getLogger(RollbackShutdown.class);

  private final Consumer<ExitReason> shutdown;
  private final AtomicLong rolledBack = new AtomicLong();
  private volatile @Nullable LeaseClient leaseClient;
  private volatile @Nullable RollbackDetector rollbackDetector;

  public RollbackShutdown(Consumer<ExitReason> shutdown) {
    this.shutdown = shutdown;
  }

  /** Returns how often a rollback was detected. */
  public long count() {
    return rolledBack.get();
  }

  /** Records a rollback that happened before this start. */
  public void rolledBackBefore() {
    rolledBack.incrementAndGet();
    LOG.warn(
        "the database was rolled back or replaced since this node used it last: charges that the"
            + " journal keeps and the database may lack are sent again");
  }

  /** Sets the detector to run between batches. */
  public void rollbackDetector(RollbackDetector rollbackDetector, LeaseClient leaseClient) {
    this.leaseClient = leaseClient;
    this.rollbackDetector = rollbackDetector;
  }

  /** Stops admission and ends the process, because a rollback was detected. */
  public void rolledBack(String reason) {
    rolledBack.incrementAndGet();
    LOG.error(
        "the database was rolled back ({}): nothing is admitted any more, and the next start sends"
            + " again what it lacks",
        reason);
    LeaseClient client = leaseClient;
    if (client != null) {
      client.stopAdmission("The ledger's database was rolled back.");
    }
    shutdown.accept(ExitReason.LEDGER_ROLLED_BACK);
  }

  /** Finds out why the store fenced this process, and ends it. */
  public void fenced() {
    RollbackDetector detector = rollbackDetector;
    if (detector != null) {
      Thread.ofVirtual()
          .name("ledger-rollback-check")
          .start(() -> detector.diagnose(this::takenOver, this::leasesReleased));
    }
  }

  private void takenOver() {
    LOG.error("another process took over this node: this one ends");
    shutdown.accept(ExitReason.TAKEN_OVER);
  }

  private void leasesReleased() {
    LOG.error("this node sent no heartbeat for too long, its leases were released: it ends");
    shutdown.accept(ExitReason.LEASES_RELEASED);
  }

  // On the settler's thread

  @Override
  public void settled(List<Settlement> settlements, List<LeaseGrowth> overruns) {
    LeaseClient client = leaseClient;
    if (client != null) {
      client.applyOverruns(overruns);
    }
  }

  @Override
  public void quarantined(Settlement settlement) {} // the settler logs and counts it

  @Override
  public void roundEnded() {
    RollbackDetector detector = rollbackDetector;
    if (detector != null) {
      detector.check();
    }
  }
}
