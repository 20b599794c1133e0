package dev.tollgate.bench;

/**
 * Decides when the requests of one load are sent, and is notified when they end. Confined to the
 * driver's loop; time is passed in.
 */
public interface LoadSchedule {
  /**
   * Sends the due requests and fails those that exceed the timeout.
   *
   * @return the next due time, {@link Long#MAX_VALUE} if only replies are pending
   */
  long sendDue(RequestSender sender, long nowNanos);

  /** A sent request has ended, with any outcome. */
  void ended(long nowNanos);

  /** A connection for a waiting request could not be opened. */
  void refused(long nowNanos);

  /** True if no request is pending and none will be due. */
  boolean isDone(long nowNanos);

  /** Returns the number of ended requests, for the progress line. */
  int endedCount();
}
