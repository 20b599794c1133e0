package dev.tollgate.core.exchange;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.endpoint.WholeReply;
import dev.tollgate.core.routing.Placement;
import io.netty.buffer.ByteBuf;

/**
 * One try that perhaps is not alone: before its first report that decides something it settles who
 * serves. Loop-confined.
 */
final class Contender implements AttemptListener {
  private final Contest contest;
  private final AttemptListener listener;
  private final InferenceCall call;
  private final Attempt attempt;

  /** Who settles it. */
  interface Contest {
    /** This one brought something: it alone serves from now on. */
    void won(Contender contender);

    /** Whether another try goes on in place of this one, which failed. */
    boolean lost(Contender contender, UpstreamFailure failure);

    /** Whether somebody else would be asked, or is, if the last try failed now. */
    boolean hasAlternative();
  }

  Contender(
      Placement placement,
      InferenceCall call,
      ExchangeContext context,
      Downstream downstream,
      long deadlineNanos,
      Contest contest,
      AttemptListener listener) {
    this.contest = contest;
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
    call.request().sent();
    listener.written();
  }

  @Override
  public void content(ByteBuf events) {
    try {
      contest.won(this);
    } catch (RuntimeException | OutOfMemoryError surprise) {
      events.release();
      throw surprise;
    }
    listener.content(events);
  }

  @Override
  public boolean wantsMore() {
    return listener.wantsMore();
  }

  /** Whether somebody else would be asked, or is, if this one failed now. */
  boolean hasAlternative() {
    return contest.hasAlternative();
  }

  @Override
  public void completed() {
    contest.won(this);
    listener.completed();
  }

  @Override
  public void plain(WholeReply reply) {
    contest.won(this);
    listener.plain(reply);
  }

  @Override
  public void failed(UpstreamFailure failure) {
    if (!contest.lost(this, failure)) {
      listener.failed(failure);
    }
  }

  @Override
  public void surprised(RuntimeException surprise) {
    listener.surprised(surprise);
  }
}
