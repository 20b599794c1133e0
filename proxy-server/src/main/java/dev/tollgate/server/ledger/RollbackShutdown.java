package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.Settlement;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process does when its books are not those that it knew: it admits nothing more and ends
 * in order. The next start sends what they lack.
 */
public final class RollbackShutdown implements SettlerListener {
  private static final Logger log = LoggerFactory.getLogger(RollbackShutdown.class);

  private final Consumer<ExitReason> shutdown;
  private final AtomicLong rolledBack = new AtomicLong();
  private volatile @Nullable LeaseClient leaseClient;
  private volatile @Nullable RollbackDetector rollbackDetector;

  public RollbackShutdown(Consumer<ExitReason> shutdown) {
    this.shutdown = shutdown;
  }

  /** Times that the books went back. */
  public long count() {
    return rolledBack.get();
  }

  /** They did so before this start. */
  public void rolledBackBefore() {
    rolledBack.incrementAndGet();
    log.warn(
        "the database went back in time, or is another one, since this node used it last: what its"
            + " journal keeps and the database may lack is sent again");
  }

  /** From now on they are watched. */
  public void rollbackDetector(RollbackDetector rollbackDetector, LeaseClient leaseClient) {
    this.leaseClient = leaseClient;
    this.rollbackDetector = rollbackDetector;
  }

  /** They are not those that this process began with. */
  public void rolledBack(String reason) {
    rolledBack.incrementAndGet();
    log.error(
        "the database went back in time ({}): nothing is admitted any more, and the next start"
            + " sends again what it lacks",
        reason);
    LeaseClient client = leaseClient;
    if (client != null) {
      client.stopAdmission("The ledger's database went back in time.");
    }
    shutdown.accept(ExitReason.LEDGER_ROLLED_BACK);
  }

  /** They do not know this process any more. */
  public void fenced() {
    RollbackDetector detector = rollbackDetector;
    if (detector != null) {
      Thread.ofVirtual()
          .name("ledger-rollback-check")
          .start(() -> detector.diagnose(this::takenOver, this::leasesReleased));
    }
  }

  private void takenOver() {
    log.error("another process took over this node: this one ends");
    shutdown.accept(ExitReason.TAKEN_OVER);
  }

  private void leasesReleased() {
    log.error("this node was not heard of for too long, its leases were freed: it ends");
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
