package dev.tollgate.core.exchange.frame;

/**
 * Complete body of a client request in one array, with its permit of the in-flight byte budget. The
 * array is parsed, and slices of it are sent upstream. Ended exactly once, by the exchange; the
 * permit lasts until all loans have ended as well. Loop-confined.
 */
public final class Body {
  private static final byte[] NONE = {};

  private byte[] bytes;
  private final int length;
  private final InflightBytes.Permit permit;
  private final long uploadNanos;
  private int loans;
  private boolean ended;

  /**
   * @param uploadNanos how long the client took to send it
   */
  public Body(byte[] bytes, int length, InflightBytes.Permit permit, long uploadNanos) {
    this.bytes = bytes;
    this.length = length;
    this.permit = permit;
    this.uploadNanos = uploadNanos;
  }

  /** Returns the array; only its first {@link #length()} bytes are the body. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** Returns the time that the client took to send it; part of no overhead. */
  public long uploadNanos() {
    return uploadNanos;
  }

  /** Resizes the permit. Returns false if the budget has no room. */
  public boolean tryResize(long totalBytes) {
    return permit.resize(totalBytes);
  }

  /** Releases the array; {@code totalBytes} is the size of what was made of it, and is less. */
  public void releaseArray(long totalBytes) {
    bytes = NONE;
    permit.resize(totalBytes);
  }

  /** Lends the array to a reader that may use it beyond the end of the exchange. */
  public Loan lend() {
    loans++;
    return new Loan();
  }

  /** Use of the array by another reader. */
  public final class Loan {
    private boolean ended;

    /** Ends the use; a second call has no effect. */
    public void end() {
      if (!ended) {
        ended = true;
        loans--;
        endOnceUnread();
      }
    }
  }

  public void end() {
    assert !ended;
    ended = true;
    endOnceUnread();
  }

  private void endOnceUnread() {
    if (ended && loans == 0) {
      permit.end();
    }
  }
}
