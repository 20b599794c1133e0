package dev.tollgate.bench;

/**
 * Open-loop load of one round: requests start at their intended times, independent of replies. A
 * request that finds every connection busy waits, and its latency counts from the intended start,
 * so that a stall is seen in all requests that were due meanwhile.
 */
public final class OpenRound implements LoadSchedule {
  private final Arrivals arrivals;
  private final Tally tally;
  private final long timeoutNanos;
  private int next;
  private int ended;

  public OpenRound(Arrivals arrivals, Tally tally, long timeoutNanos) {
    this.arrivals = arrivals;
    this.tally = tally;
    this.timeoutNanos = timeoutNanos;
  }

  @Override
  public long sendDue(RequestSender sender, long nowNanos) {
    while (isDue(nowNanos)) {
      long intendedNanos = arrivals.intendedNanos(next);
      if (nowNanos - intendedNanos > timeoutNanos) {
        giveUp(Failure.UNSENT, nowNanos);
      } else if (sender.trySend(intendedNanos, nowNanos)) {
        next++;
      } else {
        return intendedNanos + timeoutNanos;
      }
    }
    return next < arrivals.count() ? arrivals.intendedNanos(next) : Long.MAX_VALUE;
  }

  @Override
  public void ended(long nowNanos) {
    ended++;
  }

  @Override
  public void refused(long nowNanos) {
    if (isDue(nowNanos)) {
      giveUp(Failure.CONNECT, nowNanos);
    }
  }

  @Override
  public boolean isDone(long nowNanos) {
    return ended == arrivals.count();
  }

  @Override
  public int endedCount() {
    return ended;
  }

  private boolean isDue(long nowNanos) {
    return next < arrivals.count() && arrivals.intendedNanos(next) <= nowNanos;
  }

  private void giveUp(Failure why, long nowNanos) {
    tally.unsent(why, nowNanos - arrivals.intendedNanos(next));
    next++;
    ended++;
  }
}
