package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Draw;

/** How a draw ended, as Redis is told. */
sealed interface DrawEnd {
  Draw draw();

  /** The same when nobody knows whether Redis was told before: it must do no harm twice. */
  DrawEnd perhapsTold();

  /** Its request ran: tokens become what it used, and what else was taken stays taken. */
  record Used(Draw draw, long tokens) implements DrawEnd {
    /** What is given back is given back once; an overrun would be booked again. */
    @Override
    public DrawEnd perhapsTold() {
      return new Used(draw, Math.min(tokens, draw.tokens()));
    }
  }

  /**
   * No answer came in time of a take, which may have been done: all is to come back.
   *
   * @param epoch of the take, and of no other: there the request may run, counted by its node alone
   */
  record InVain(Draw draw, String epoch) implements DrawEnd {
    @Override
    public DrawEnd perhapsTold() {
      return this;
    }
  }
}
