package dev.tollgate.bench;

/** Which requests are due when. Confined to the driver's loop; time is passed in. */
public interface LoadSchedule {
  /**
   * Sends what is due and gives up what waited for too long.
   *
   * @return when something is due next, {@link Long#MAX_VALUE} where only ends are waited for
   */
  long sendDue(RequestSender sender, long nowNanos);

  /** A request that was sent has ended, however it did. */
  void ended(long nowNanos);

  /** A connection for a request that waits could not be opened. */
  void refused(long nowNanos);

  /** Whether nothing is under way and nothing will be due. */
  boolean isDone(long nowNanos);

  /** How many requests ended, for those who watch. */
  int endedCount();
}
