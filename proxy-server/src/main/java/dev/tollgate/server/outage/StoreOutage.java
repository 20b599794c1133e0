package dev.tollgate.server.outage;

import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Outage of the store as one component of the node meets it: one warning when its calls begin to
 * fail, and one line when they succeed again, however many fail in between. Safe on any thread.
 */
public final class StoreOutage {
  /** No free connection slot, or a database that is stopping or starting. */
  private static final Set<String> AWAY_STATES = Set.of("53300", "57P01", "57P02", "57P03");

  /** SQLSTATE class of broken and refused connections. */
  private static final String CONNECTION_ERRORS = "08";

  private final Logger log;
  private final String what;
  private volatile boolean lasts;
  private long failedNanos;

  /**
   * @param log the component's log
   * @param what what waits for the store meanwhile, in the plural
   */
  public StoreOutage(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  /** True while the component's calls fail. */
  public boolean lasts() {
    return lasts;
  }

  /** Returns 1 while the component's calls fail, for a gauge. */
  public double gauge() {
    return lasts ? 1 : 0;
  }

  /**
   * Notes a failed call if it failed because the store cannot be reached; else returns false, and
   * the caller reports it.
   */
  public boolean isCauseOf(Throwable failure) {
    boolean away = isAway(failure);
    if (away) {
      begin(String.valueOf(failure.getMessage()));
    }
    return away;
  }

  /** Notes a failed call. */
  public synchronized void begin(String reason) {
    failedNanos = System.nanoTime();
    if (!lasts) {
      lasts = true;
      log.warn("{} wait for the store: {}", what, reason);
    }
  }

  /**
   * Notes a call that succeeded. It ends the outage if it began after the last failure: others may
   * succeed late.
   */
  public void succeeded(long begunNanos) {
    if (lasts) {
      end(begunNanos);
    }
  }

  private synchronized void end(long begunNanos) {
    if (lasts && begunNanos - failedNanos > 0) {
      lasts = false;
      log.info("{} wait no longer, the store answers again", what);
    }
  }

  private static boolean isAway(@Nullable Throwable failure) {
    return switch (failure) {
      case null -> false;
      case SQLTransientConnectionException _, SQLNonTransientConnectionException _ -> true;
      case LedgerStoreException e when e.kind() == LedgerStoreException.Kind.UNREACHABLE -> true;
      case SQLException e when isAwayState(e.getSQLState()) -> true;
      default -> isAway(failure.getCause());
    };
  }

  private static boolean isAwayState(@Nullable String state) {
    return state != null && (state.startsWith(CONNECTION_ERRORS) || AWAY_STATES.contains(state));
  }
}
