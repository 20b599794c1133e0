package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Draw;

/** How a draw ended, as Redis is told. */
sealed interface Ending {
  Draw draw();

  /** The same when nobody knows whether Redis was told before: it must do no harm twice. */
  Ending perhapsTold();

  /** Its request ran: tokens become what it used, and what else was taken stays taken. */
  record Used(Draw draw, long tokens) implements Ending {
    /** What is given back is given back once; an overrun would be booked again. */
    @Override
    public Ending perhapsTold() {
      return new Used(draw, Math.min(tokens, draw.tokens()));
    }
  }

  /** No answer came in time of a take, which may have been done: all is to come back. */
  record InVain(Draw draw) implements Ending {
    @Override
    public Ending perhapsTold() {
      return this;
    }
  }
}
