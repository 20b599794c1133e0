package dev.tollgate.server.bench;

/**
 * A number of streams that are open all the time: they begin one after the other, and another one
 * begins where one ends. What is open when the time is up may finish for a while and then is left.
 */
final class StandingStreams implements Load {
  private final int streams;
  private final long startNanos;
  private final long rampNanos;
  private final long endNanos;
  private final long leaveNanos;
  private int open;
  private int ended;
  private int lowest = Integer.MAX_VALUE;

  /**
   * @param rampNanos within which all of them begin
   * @param steadyNanos how long all of them are to be open then
   * @param finishNanos how long the last ones may take
   */
  StandingStreams(
      int streams, long startNanos, long rampNanos, long steadyNanos, long finishNanos) {
    this.streams = streams;
    this.startNanos = startNanos;
    this.rampNanos = Math.max(1, rampNanos);
    this.endNanos = startNanos + rampNanos + steadyNanos;
    this.leaveNanos = endNanos + finishNanos;
  }

  @Override
  public long look(Asker asker, long nowNanos) {
    if (nowNanos >= endNanos) {
      return leaveNanos;
    }
    boolean isFree = true;
    while (isFree && open < wanted(nowNanos)) {
      isFree = asker.ask(nowNanos, nowNanos);
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
  }

  @Override
  public void refused(long nowNanos) {
    // Seen in the lowest number that was open, and asked for again.
  }

  @Override
  public boolean isOver(long nowNanos) {
    return nowNanos >= leaveNanos || (nowNanos >= endNanos && open == 0);
  }

  @Override
  public int endedCount() {
    return ended;
  }

  /** How many were open at the worst moment after all had begun; 0 if that never came. */
  int sustained() {
    return lowest == Integer.MAX_VALUE ? 0 : lowest;
  }

  private int wanted(long nowNanos) {
    double share = Math.min(1, (nowNanos - startNanos) / (double) rampNanos);
    return (int) Math.ceil(share * streams);
  }
}
