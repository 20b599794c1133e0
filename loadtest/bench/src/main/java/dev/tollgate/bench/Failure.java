package dev.tollgate.bench;

/** Failure of a request. */
public enum Failure {
  /** No connection could be opened. */
  CONNECT("connect"),
  /** No connection was free within the timeout, so the request was not sent. */
  UNSENT("unsent"),
  /** No complete answer within the timeout. */
  TIMEOUT("timeout"),
  /** A status other than 200. */
  STATUS("status"),
  /** The connection ended before the answer did, or the stream before its {@code [DONE]}. */
  BROKEN("broken"),
  /** The response is malformed. */
  MALFORMED("malformed"),
  /** A stream with an error event. */
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
