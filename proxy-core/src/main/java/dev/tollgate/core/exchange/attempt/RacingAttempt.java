package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.routing.Placement;
import io.netty.buffer.ByteBuf;

/**
 * One try that perhaps is not alone: before its first report that decides something it settles who
 * serves. Loop-confined.
 */
final class RacingAttempt implements AttemptListener {
  private final Race race;
  private final AttemptListener listener;
  private final InferenceCall call;
  private final Attempt attempt;

  /** Who settles it. */
  interface Race {
    /** This one brought something: it alone serves from now on. */
    void won(RacingAttempt racing);

    /** Whether another try goes on in place of this one, which failed. */
    boolean lost(RacingAttempt racing, UpstreamFailure failure);

    /** Whether somebody else would be asked, or is, if the last try failed now. */
    boolean hasAlternative();
  }

  RacingAttempt(
      Placement placement,
      InferenceCall call,
      ExchangeContext context,
      Downstream downstream,
      long deadlineNanos,
      Race race,
      AttemptListener listener) {
    this.race = race;
    this.listener = listener;
    this.call = call;
    this.attempt = new Attempt(placement, call, context, downstream, deadlineNanos, this);
  }

  Attempt attempt() {
    return attempt;
  }

  InferenceCall call() {
    return call;
  }

  @Override
  public void sent() {
    listener.sent();
  }

  @Override
  public void written() {
    call.request().releaseBody();
    listener.written();
  }

  @Override
  public void content(ByteBuf events) {
    try {
      race.won(this);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      events.release();
      throw unexpected;
    }
    listener.content(events);
  }

  @Override
  public boolean wantsMore() {
    return listener.wantsMore();
  }

  /** Whether somebody else would be asked, or is, if this one failed now. */
  boolean hasAlternative() {
    return race.hasAlternative();
  }

  @Override
  public void completed() {
    race.won(this);
    listener.completed();
  }

  @Override
  public void plain(WholeReply reply) {
    race.won(this);
    listener.plain(reply);
  }

  @Override
  public void failed(UpstreamFailure failure) {
    if (!race.lost(this, failure)) {
      listener.failed(failure);
    }
  }

  @Override
  public void failedUnexpectedly(RuntimeException unexpected) {
    listener.failedUnexpectedly(unexpected);
  }
}
