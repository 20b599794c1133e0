package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Port to the ledger store, the shared tables of balances, budgets and the nodes' leases on them.
 * Every call is one transaction; it blocks, and a failed call may have been committed or may yet
 * be. A lease holds its base, which grants raise and {@link LeaseStatement statements} lower, plus
 * its overrun, which settlements raise. Grants and ticks are numbered by a counter of their holder,
 * so that a late one changes nothing that a later call stated. Implementations differ in where they
 * store, never in what they allow.
 */
public interface LedgerStore {

  /**
   * Holder of leases, one epoch of a node: every start of its process begins an epoch, and only the
   * latest may spend.
   *
   * @param node the id of the journal directory
   * @param boot the id of the process
   */
  record LeaseHolder(UUID node, long epoch, UUID boot) {}

  /**
   * Begins the next epoch of a node and closes the leases of the previous one: what those had not
   * spent is free again. To be called after everything in the node's journal was settled.
   */
  LeaseHolder open(UUID node, UUID boot) throws LedgerStoreException;

  /** Closes the leases of a node that stops in order. */
  void close(LeaseHolder holder) throws LedgerStoreException;

  /** Grants from every requested scope, or from none; the only place that tests a limit. */
  GrantAnswer grant(LeaseHolder holder, GrantRequest request) throws LedgerStoreException;

  /**
   * Settles charges, each exactly once however often it is sent. A charge is never refused for a
   * limit, nor after the holder's epoch has ended. A charge is spent from the holder's open leases
   * of its {@link Settlement#scopeKinds scope kinds}.
   *
   * @param holder the holder of the leases that the requests had reserved from
   */
  SettleAnswer settle(LeaseHolder holder, List<Settlement> batch) throws LedgerStoreException;

  /**
   * Sends a heartbeat with statements of leases that hold less than the store may have, and returns
   * the present recalls.
   *
   * @param number greater than those of all calls before
   */
  TickAnswer tick(LeaseHolder holder, long number, List<LeaseStatement> statements)
      throws LedgerStoreException;

  /**
   * A request for grants.
   *
   * @param number greater than those of all calls before
   * @param awaited true if an inference request waits for it: only then idle money of other nodes
   *     is recalled
   * @param sinceCall the number of the first call after the inference request arrived: other nodes'
   *     answers to a recall of an earlier call do not show what became idle since
   */
  record GrantRequest(
      long number, Payer payer, List<GrantItem> items, boolean awaited, long sinceCall) {
    public GrantRequest(long number, Payer payer, List<GrantItem> items, boolean awaited) {
      this(number, payer, items, awaited, 0);
    }
  }

  /**
   * Item of a grant request: one scope and its amounts.
   *
   * @param minimum the least useful amount, at least 1
   * @param desired the amount that the node would like to hold, at least the minimum
   * @param knownBase the base as the holder knows it, where the store may have another: applied, as
   *     a statement, before anything is granted, and also if nothing is
   */
  record GrantItem(
      ScopeKind kind, MicroUsd minimum, MicroUsd desired, @Nullable MicroUsd knownBase) {
    public GrantItem(ScopeKind kind, MicroUsd minimum, MicroUsd desired) {
      this(kind, minimum, desired, null);
    }
  }

  /** Growth of one lease. */
  record LeaseGrowth(Scope scope, MicroUsd amount) {}

  /**
   * A scope that could not grant its minimum.
   *
   * @param limit the scope's limit; for a balance, all that was paid in
   * @param leased what all nodes hold of the scope and have not spent
   * @param awaitsRecall true if idle money was recalled and not all live nodes have answered: a
   *     retry soon makes sense
   */
  record Shortage(
      Scope scope, MicroUsd limit, MicroUsd used, MicroUsd leased, boolean awaitsRecall) {

    /** Returns what is left of the limit; negative if more was charged. */
    public MicroUsd free() {
      return limit.minus(used).minus(leased);
    }
  }

  /** The answer to a grant. */
  sealed interface GrantAnswer {
    /** Everything was granted: one entry for each item, in the order of the request. */
    record Issued(List<LeaseGrowth> granted) implements GrantAnswer {}

    /** Nothing was granted: all scopes that were short, in the order of {@link ScopeKind}. */
    record Refused(List<Shortage> shortages) implements GrantAnswer {}

    /** The holder is not its node's current epoch: it must not spend. */
    record Fenced() implements GrantAnswer {}

    /** Nothing was granted or changed: a later call of the holder arrived first. */
    record Stale() implements GrantAnswer {}
  }

  /**
   * The answer to settlements: all charges of the batch are settled.
   *
   * @param overruns the total overrun of each open lease of their scopes since it was opened, for
   *     charges above what it held
   */
  record SettleAnswer(List<LeaseGrowth> overruns) {}

  /**
   * Absolute base of one lease as its holder knows it: all grants that arrived, less what was
   * returned. The store lowers the lease to it, and never raises it or lowers it below what was
   * spent.
   *
   * @param recall the number of the recall that this statement answers; 0 means none
   * @param last true if the holder forgets the lease if nothing is left of it; a later grant begins
   *     a new one
   */
  record LeaseStatement(Payer payer, ScopeKind kind, MicroUsd base, long recall, boolean last) {
    public Scope scope() {
      return payer.scope(kind);
    }
  }

  /**
   * A request to return idle money of a scope, repeated until a {@link LeaseStatement} carries its
   * number.
   */
  record Recall(Scope scope, long number) {}

  /** The answer to a tick. */
  sealed interface TickAnswer {
    /**
     * The holder may continue to spend.
     *
     * @param storeMillis the store's clock
     * @param overruns as in {@link SettleAnswer}, of the leases that were stated
     * @param closed the stated leases that are closed, because nothing is left and a statement,
     *     this one or an earlier one, was the last
     */
    record Accepted(
        long storeMillis, List<Recall> recalls, List<LeaseGrowth> overruns, List<Scope> closed)
        implements TickAnswer {}

    record Fenced() implements TickAnswer {}
  }

  /** A call that failed, or whose outcome is not known. */
  final class LedgerStoreException extends Exception {
    private static final long serialVersionUID = 1;

    /** Kinds of failures, by what the caller does next. */
    public enum Kind {
      /** The store was not reached: repeat the call, whatever it contains. */
      UNREACHABLE,
      /** Repeat the call later, perhaps with less in it. */
      TRANSIENT,
      /** Do not repeat the call: the store can never accept something in it. */
      POISONED
    }

    private final Kind kind;

    public LedgerStoreException(Kind kind, String message, Throwable cause) {
      super(message, cause);
      this.kind = kind;
    }

    public Kind kind() {
      return kind;
    }
  }
}
