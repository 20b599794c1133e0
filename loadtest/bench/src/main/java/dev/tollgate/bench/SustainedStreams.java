package dev.tollgate.bench;

/**
 * Load that keeps a fixed number of streams open. They begin one after another, and a new stream
 * replaces one that ends. A failed stream is replaced after a short backoff, so that a server that
 * refuses is not flooded. Streams open at the end of the time may finish within a limit and then
 * are abandoned.
 */
final class SustainedStreams implements LoadSchedule {
  static final long BACKOFF_NANOS = 200_000_000;

  private final int streams;
  private final long startNanos;
  private final long rampNanos;
  private final long endNanos;
  private final long abandonNanos;
  private final Tally tally;
  private long failedBefore;
  private int backingOff;
  private long backoffEndNanos;
  private int open;
  private int ended;
  private int lowest = Integer.MAX_VALUE;

  /**
   * @param rampNanos time within which all streams begin
   * @param steadyNanos time during which all streams are open
   * @param finishNanos time limit for the last streams
   */
  SustainedStreams(
      int streams,
      long startNanos,
      long rampNanos,
      long steadyNanos,
      long finishNanos,
      Tally tally) {
    this.tally = tally;
    this.failedBefore = tally.failedCount();
    this.streams = streams;
    this.startNanos = startNanos;
    this.rampNanos = Math.max(1, rampNanos);
    this.endNanos = startNanos + rampNanos + steadyNanos;
    this.abandonNanos = endNanos + finishNanos;
  }

  @Override
  public long sendDue(RequestSender sender, long nowNanos) {
    if (nowNanos >= endNanos) {
      return abandonNanos;
    }
    if (nowNanos >= backoffEndNanos) {
      backingOff = 0;
    }
    boolean isFree = true;
    while (isFree && open < wanted(nowNanos) - backingOff) {
      isFree = sender.trySend(nowNanos, nowNanos);
      open += isFree ? 1 : 0;
    }
    if (nowNanos > startNanos + rampNanos) {
      lowest = Math.min(lowest, open);
    }
    return open < streams ? nowNanos + rampNanos / streams : endNanos;
  }

  @Override
  public void ended(long nowNanos) {
    ended++;
    open--;
    long failed = tally.failedCount();
    if (failed > failedBefore) {
      failedBefore = failed;
      backoffEndNanos = backingOff == 0 ? nowNanos + BACKOFF_NANOS : backoffEndNanos;
      backingOff++;
    }
  }

  @Override
  public void refused(long nowNanos) {
    tally.unsent(Failure.CONNECT, 0);
    failedBefore++;
  }

  @Override
  public boolean isDone(long nowNanos) {
    return nowNanos >= abandonNanos || (nowNanos >= endNanos && open == 0);
  }

  @Override
  public int endedCount() {
    return ended;
  }

  /** Returns the lowest number of open streams after all had begun, or 0 if some never began. */
  int sustained() {
    return lowest == Integer.MAX_VALUE ? 0 : lowest;
  }

  private int wanted(long nowNanos) {
    double share = Math.min(1, (nowNanos - startNanos) / (double) rampNanos);
    return (int) Math.ceil(share * streams);
  }
}
