package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The books that all nodes share. Every call is one transaction; it blocks, and may fail although
 * it was booked or will be. What a lease holds is its base, which grants raise and {@link
 * LeaseStatement statements} lower, and the overrun, which settlements raise. Grants and ticks
 * carry the numbers of a counter of their holder, so that one that arrives late changes nothing
 * that was said after it. Implementations differ in where the books are, never in what is allowed.
 */
public interface LedgerStore {

  /**
   * A life of a node: every start of its process is a new epoch, and the last one alone may spend.
   *
   * @param node the journal directory's own id
   * @param boot one process
   */
  record LeaseHolder(UUID node, long epoch, UUID boot) {}

  /**
   * Begins the next epoch of a node and closes the leases of the one before: what that had not
   * spent is free again. To be called after everything in its journal was settled.
   */
  LeaseHolder open(UUID node, UUID boot) throws LedgerStoreException;

  /** The node stops in order: its leases are closed. */
  void close(LeaseHolder holder) throws LedgerStoreException;

  /** Grants from every scope asked for, or from none; the only place that tests a limit. */
  GrantAnswer grant(LeaseHolder holder, GrantRequest ask) throws LedgerStoreException;

  /**
   * Books charges, each once, however often it is sent: never refused, also after the holder's
   * epoch is over. A lease that is open spends what its settlements {@link Settlement#scopeKinds
   * hold}.
   *
   * @param holder whose leases the requests had reserved from
   */
  SettleAnswer settle(LeaseHolder holder, List<Settlement> batch) throws LedgerStoreException;

  /**
   * Says that the node lives and what it holds where that is less than the books may think, and
   * asks what is recalled.
   *
   * @param number greater than those of all calls before
   */
  TickAnswer tick(LeaseHolder holder, long number, List<LeaseStatement> statements)
      throws LedgerStoreException;

  /**
   * A question for money.
   *
   * @param number greater than those of all calls before
   * @param awaited whether a request waits for it: only then idle money of other nodes is recalled
   * @param sinceCall the number of the first call after the request came: what other nodes answered
   *     to a recall that an earlier call began says nothing of what they could spare since
   */
  record GrantRequest(
      long number, Payer payer, List<GrantItem> items, boolean awaited, long sinceCall) {
    public GrantRequest(long number, Payer payer, List<GrantItem> wants, boolean awaited) {
      this(number, payer, wants, awaited, 0);
    }
  }

  /**
   * Money wanted from one scope of a payer.
   *
   * @param minimum without which the grant is of no use, at least 1
   * @param desired what would be welcome, at least the least
   * @param knownBase the base that the holder knows of, where the books may have another: applied,
   *     as a statement, before anything is granted, and also where nothing is
   */
  record GrantItem(
      ScopeKind kind, MicroUsd minimum, MicroUsd desired, @Nullable MicroUsd knownBase) {
    public GrantItem(ScopeKind kind, MicroUsd least, MicroUsd most) {
      this(kind, least, most, null);
    }
  }

  /** What a lease grew by. */
  record LeaseGrowth(Scope scope, MicroUsd amount) {}

  /**
   * A scope that could not give its least.
   *
   * @param limit of the scope; for a balance, all that was paid in
   * @param leased what all nodes hold of it and have not spent
   * @param awaitsRecall whether idle money of it was asked back and other live nodes have not all
   *     answered: it is worth asking again soon
   */
  record Shortage(
      Scope scope, MicroUsd limit, MicroUsd used, MicroUsd leased, boolean awaitsRecall) {}

  /** The answer to a grant. */
  sealed interface GrantAnswer {
    /** One entry for each want, in the order of the wants. */
    record Issued(List<LeaseGrowth> granted) implements GrantAnswer {}

    /** Nothing was granted; all scopes that were short, in the order of {@link ScopeKind}. */
    record Refused(List<Shortage> shortages) implements GrantAnswer {}

    /** The holder is not its node's present life: it must not spend. */
    record Fenced() implements GrantAnswer {}

    /** Nothing was granted or changed: the holder has said something newer since it asked. */
    record Stale() implements GrantAnswer {}
  }

  /**
   * The answer to settlements: all of them stand in the books.
   *
   * @param overruns by how much the open leases of their scopes grew in all, since they were
   *     opened, because more was spent than they held
   */
  record SettleAnswer(List<LeaseGrowth> overruns) {}

  /**
   * The base of one lease, said absolutely: all that its holder was granted and heard of, less what
   * it gave back. The lease is lowered to that, never raised, and never below what it spent.
   *
   * @param recall the number of the recall that this answers; 0: none
   * @param last whether the holder forgets the lease where nothing is left of it: what it asks for
   *     later begins a new one
   */
  record LeaseStatement(Payer payer, ScopeKind kind, MicroUsd base, long recall, boolean last) {
    public Scope scope() {
      return payer.scope(kind);
    }
  }

  /**
   * A scope of which idle money is wanted back, until a {@link LeaseStatement} carries its number.
   */
  record Recall(Scope scope, long number) {}

  /** The answer to a tick. */
  sealed interface TickAnswer {
    /**
     * The holder may go on.
     *
     * @param storeMillis the books' clock
     * @param overruns as in {@link SettleAnswer}, of the leases that were stated
     * @param closed those that were stated and are closed: said to be the last, now or before, and
     *     nothing was left of them
     */
    record Accepted(
        long storeMillis, List<Recall> recalls, List<LeaseGrowth> overruns, List<Scope> closed)
        implements TickAnswer {}

    record Fenced() implements TickAnswer {}
  }

  /** A call that did not succeed, or whose outcome is not known. */
  final class LedgerStoreException extends Exception {
    private static final long serialVersionUID = 1;

    /** What to do about it. */
    public enum Kind {
      /** The books were not reached: the same call again, whatever is in it. */
      UNREACHABLE,
      /** The same call again, later; perhaps it was too much. */
      TRANSIENT,
      /** Never the same call: something in it is not bookable. */
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
