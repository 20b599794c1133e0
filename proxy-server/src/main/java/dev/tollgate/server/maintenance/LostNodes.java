package dev.tollgate.server.maintenance;

import dev.tollgate.server.postgres.ledger.LedgerNodes;
import dev.tollgate.server.postgres.ledger.LedgerNodes.LedgerNode;
import dev.tollgate.server.postgres.ledger.LedgerNodes.ReleaseResult;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Release of account balances leased by unresponsive nodes: the uncommitted part when the leases
 * expire, the rest a day later.
 */
final class LostNodes {
  private static final Logger LOG = LoggerFactory.getLogger(LostNodes.class);
  private static final Duration UNRESPONSIVE_MIN = Duration.ofSeconds(60);
  private static final Duration RELEASED_AFTER = Duration.ofHours(24);

  private final LedgerNodes nodes;
  private final Duration leaseTtl;
  private final StoreUptime storeUptime;
  private volatile long unresponsive;

  LostNodes(LedgerNodes nodes, Duration leaseTtl, InstantSource clock) {
    this.nodes = nodes;
    this.leaseTtl = leaseTtl;
    this.storeUptime = new StoreUptime(clock);
  }

  /** Checks all nodes; to be called every minute. */
  void check() throws SQLException {
    try {
      unresponsive = nodes.list().stream().filter(LostNodes::isUnresponsive).count();
      if (storeUptime.answeredLongEnough()) {
        releaseLeases();
      }
    } catch (SQLException | RuntimeException e) {
      storeUptime.interrupted();
      throw e;
    }
  }

  /** Returns the nodes that were unresponsive at the last check and may hold leases. */
  long unresponsive() {
    return unresponsive;
  }

  private static boolean isUnresponsive(LedgerNode node) {
    return !node.state().equals("closed") && node.sinceHeartbeat().compareTo(UNRESPONSIVE_MIN) > 0;
  }

  private void releaseLeases() throws SQLException {
    for (var lost : nodes.markLost(leaseTtl.plus(UNRESPONSIVE_MIN))) {
      LOG.warn(
          "node {} sent no heartbeat for longer than its leases last; {} of balances that it had"
              + " not committed are free",
          lost.node(),
          lost.freed());
    }
    Duration releaseAfter = leaseTtl.plus(RELEASED_AFTER);
    for (LedgerNode node : nodes.list()) {
      boolean isReleasable =
          isUnresponsive(node) && node.sinceHeartbeat().compareTo(releaseAfter) > 0;
      if (isReleasable
          && nodes.release(node.id(), releaseAfter, "upkeep")
              instanceof ReleaseResult.Released released) {
        LOG.warn(
            "node {} did not return, its leases are closed; {} of balances are free",
            node.id(),
            released.freed());
      }
    }
  }
}
