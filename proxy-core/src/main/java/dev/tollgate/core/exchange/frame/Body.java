package dev.tollgate.core.exchange.frame;

/**
 * A request's whole body in the one array that is parsed and from which slices are sent upstream,
 * with its share of the in-flight budget. Ended exactly once, by the exchange; it counts for as
 * long as somebody to whom it was lent still has it. Loop-confined.
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
   * @param uploadNanos how long it took to arrive
   */
  public Body(byte[] bytes, int length, InflightBytes.Permit permit, long uploadNanos) {
    this.bytes = bytes;
    this.length = length;
    this.permit = permit;
    this.uploadNanos = uploadNanos;
  }

  /** The array; only the first {@link #length()} bytes are the body. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** The time that its client took to send it: neither ours nor a provider's. */
  public long uploadNanos() {
    return uploadNanos;
  }

  /** Counts more than the array for a while; false where the budget has no room. */
  public boolean tryResize(long totalBytes) {
    return permit.resize(totalBytes);
  }

  /** Lets go of the array: what was made of it has so many bytes, fewer than were counted. */
  public void releaseArray(long totalBytes) {
    bytes = NONE;
    permit.resize(totalBytes);
  }

  /** Somebody else reads the array from now on, who may have it for longer than the exchange. */
  public Loan lend() {
    loans++;
    return new Loan();
  }

  /** The part of somebody who reads the array elsewhere. */
  public final class Loan {
    private boolean ended;

    /** It is not read there any more; said again, it changes nothing. */
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
