package dev.tollgate.core.exchange;

/**
 * A request's whole body in the one array that is parsed and from which slices are sent upstream,
 * with its share of the in-flight budget. Ended exactly once, by the exchange.
 */
public final class Body {
  private final byte[] bytes;
  private final int length;
  private final InflightBytes.Permit permit;

  public Body(byte[] bytes, int length, InflightBytes.Permit permit) {
    this.bytes = bytes;
    this.length = length;
    this.permit = permit;
  }

  /** The array; only the first {@link #length()} bytes are the body. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  public void end() {
    permit.end();
  }
}
