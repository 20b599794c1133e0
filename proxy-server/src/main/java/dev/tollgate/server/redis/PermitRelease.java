package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;

/** How a draw ended, as Redis is told. */
sealed interface PermitRelease {
  Acquire acquire();

  /** The same when nobody knows whether Redis was told before: it must do no harm twice. */
  PermitRelease asIdempotent();

  /** Its request ran: tokens become what it used, and what else was taken stays taken. */
  record Used(Acquire acquire, long tokens) implements PermitRelease {
    /** What is given back is given back once; an overrun would be booked again. */
    @Override
    public PermitRelease asIdempotent() {
      return new Used(acquire, Math.min(tokens, acquire.tokens()));
    }
  }

  /**
   * No answer came in time of a take, which may have been done: all is to come back.
   *
   * @param epoch of the take, and of no other: there the request may run, counted by its node alone
   */
  record Undo(Acquire acquire, String epoch) implements PermitRelease {
    @Override
    public PermitRelease asIdempotent() {
      return this;
    }
  }
}
