package dev.tollgate.server.wiring;

import dev.tollgate.server.postgres.LedgerNodes;
import dev.tollgate.server.postgres.LedgerNodes.Node;
import dev.tollgate.server.postgres.LedgerNodes.Release;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets silent nodes go of their money: what they had not committed when their leases are over, the
 * rest a day later.
 */
final class LostNodes {
  private static final Logger log = LoggerFactory.getLogger(LostNodes.class);
  private static final Duration SILENT = Duration.ofSeconds(60);
  private static final Duration RELEASED_AFTER = Duration.ofHours(24);

  private final LedgerNodes nodes;
  private final Duration leaseTtl;
  private final Unbroken answers;
  private volatile long silent;

  LostNodes(LedgerNodes nodes, Duration leaseTtl, InstantSource clock) {
    this.nodes = nodes;
    this.leaseTtl = leaseTtl;
    this.answers = new Unbroken(clock);
  }

  /** Looks once; to be called every minute. */
  void look() throws SQLException {
    try {
      silent = nodes.list().stream().filter(LostNodes::isSilent).count();
      if (answers.lastsLongEnough()) {
        letGo();
      }
    } catch (SQLException | RuntimeException e) {
      answers.broke();
      throw e;
    }
  }

  /** Nodes that were silent at the last look and may hold leases. */
  long silent() {
    return silent;
  }

  private static boolean isSilent(Node node) {
    return !node.state().equals("closed") && node.silent().compareTo(SILENT) > 0;
  }

  private void letGo() throws SQLException {
    for (var lost : nodes.lose(leaseTtl.plus(SILENT))) {
      log.warn(
          "node {} is silent for longer than its leases last; {} of balances that it had not"
              + " committed are free",
          lost.node(),
          lost.freed());
    }
    Duration over = leaseTtl.plus(RELEASED_AFTER);
    for (Node node : nodes.list()) {
      boolean isOver = isSilent(node) && node.silent().compareTo(over) > 0;
      if (isOver && nodes.release(node.id(), over, "upkeep") instanceof Release.Released released) {
        log.warn(
            "node {} did not come back, its leases are closed; {} of balances are free",
            node.id(),
            released.freed());
      }
    }
  }
}
