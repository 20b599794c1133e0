package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;

/** Release of an acquired rate limit permit, as it is sent to Redis. */
sealed interface PermitRelease {
  Acquire acquire();

  /** Returns a release that is safe to repeat, for one that Redis may have executed before. */
  PermitRelease asIdempotent();

  /** The request ran: its tokens are corrected to what it used, and everything else stays taken. */
  record Used(Acquire acquire, long tokens) implements PermitRelease {
    /** A refund is applied once; an overrun would be applied again, so it is dropped. */
    @Override
    public PermitRelease asIdempotent() {
      return new Used(acquire, Math.min(tokens, acquire.tokens()));
    }
  }

  /**
   * The acquisition timed out and may have been executed: everything is returned.
   *
   * @param epoch the acquisition's epoch only: in a later one the request may be counted again, as
   *     a local slot
   */
  record Undo(Acquire acquire, String epoch) implements PermitRelease {
    @Override
    public PermitRelease asIdempotent() {
      return this;
    }
  }
}
