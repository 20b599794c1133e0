package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.util.List;
import java.util.UUID;

/**
 * The books that all nodes share. Every call is one transaction; it blocks, and may fail although
 * it was booked. Implementations differ in where the books are, never in what is allowed.
 */
public interface Bank {

  /**
   * A life of a node: every start of its process is a new epoch, and the last one alone may spend.
   *
   * @param node the journal directory's own id
   * @param boot one process
   */
  record Holder(UUID node, long epoch, UUID boot) {}

  /**
   * Begins the next epoch of a node and closes the leases of the one before: what that had not
   * spent is free again. To be called after everything in its journal was settled.
   */
  Holder open(UUID node, UUID boot) throws BankException;

  /** The node stops in order: its leases are closed. */
  void close(Holder holder) throws BankException;

  /** Grants from every scope asked for, or from none; the only place that tests a limit. */
  GrantAnswer grant(Holder holder, Payer payer, List<Want> wants) throws BankException;

  /**
   * Books charges, each once, however often it is sent: never refused, also after the holder's
   * epoch is over. A lease that is open spends what its settlements {@link Settlement#held hold}.
   *
   * @param holder whose leases the requests had reserved from
   */
  Booked settle(Holder holder, List<Settlement> batch) throws BankException;

  /** Says that the node lives, gives back what it does not need, and asks what is recalled. */
  TickAnswer tick(Holder holder, List<GiveBack> surplus) throws BankException;

  /**
   * Money wanted from one scope of a payer.
   *
   * @param least without which the grant is of no use, at least 1
   * @param most what would be welcome, at least the least
   */
  record Want(ScopeKind kind, MicroUsd least, MicroUsd most) {}

  /** What a lease grew by. */
  record Granted(Scope scope, MicroUsd amount) {}

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
    record Given(List<Granted> granted) implements GrantAnswer {}

    /** Nothing was granted; all scopes that were short, in the order of {@link ScopeKind}. */
    record Refused(List<Shortage> shortages) implements GrantAnswer {}

    /** The holder is not its node's present life: it must not spend. */
    record Fenced() implements GrantAnswer {}
  }

  /**
   * The answer to settlements: all of them stand in the books.
   *
   * @param overruns by how much leases grew because more was spent than they held
   */
  record Booked(List<Granted> overruns) {}

  /**
   * Idle money of one scope, returned.
   *
   * @param amount may be zero, to answer a recall of which nothing is left
   * @param recall the number of the recall that this answers; 0: none
   */
  record GiveBack(Scope scope, MicroUsd amount, long recall) {}

  /** A scope of which idle money is wanted back, until a {@link GiveBack} carries its number. */
  record Recall(Scope scope, long number) {}

  /** The answer to a tick. */
  sealed interface TickAnswer {
    /**
     * The holder may go on.
     *
     * @param bankMillis the books' clock
     */
    record Alive(long bankMillis, List<Recall> recalls) implements TickAnswer {}

    record Fenced() implements TickAnswer {}
  }

  /** A call that did not succeed, or whose outcome is not known. */
  final class BankException extends Exception {
    private static final long serialVersionUID = 1;

    /** What to do about it. */
    public enum Kind {
      /** The same call again, later. */
      TRANSIENT,
      /** Never the same call: something in it is not bookable. */
      POISONED
    }

    private final Kind kind;

    public BankException(Kind kind, String message, Throwable cause) {
      super(message, cause);
      this.kind = kind;
    }

    public Kind kind() {
      return kind;
    }
  }
}
