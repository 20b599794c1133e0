package dev.tollgate.bench;

/** How a request can go wrong. */
public enum Failure {
  /** No connection could be opened. */
  CONNECT("connect"),
  /** Its time to start passed by so far that it was not sent at all. */
  UNSENT("unsent"),
  /** No whole answer within the timeout. */
  TIMEOUT("timeout"),
  /** A status other than 200. */
  STATUS("status"),
  /** The connection ended before the answer did, or the stream before its {@code [DONE]}. */
  BROKEN("broken"),
  /** Bytes that are no answer. */
  MALFORMED("malformed"),
  /** A stream that said that it failed. */
  ERROR_EVENT("error_event"),
  /** A stream with frames lost, repeated or changed. */
  FRAMES("frames");

  private final String wire;

  Failure(String wire) {
    this.wire = wire;
  }

  String wire() {
    return wire;
  }
}
