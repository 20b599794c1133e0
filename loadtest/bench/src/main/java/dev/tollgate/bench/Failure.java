package dev.tollgate.bench;

/** Reason why a benchmark request failed. */
public enum Failure {
  /** No connection could be opened. */
  CONNECT("connect"),
  /** No connection was free within the timeout, so the request was not sent. */
  UNSENT("unsent"),
  /** No complete answer within the timeout. */
  TIMEOUT("timeout"),
  /** The response has a status other than 200. */
  STATUS("status"),
  /** The connection ended before the answer did, or the stream before its {@code [DONE]}. */
  BROKEN("broken"),
  /** The response is malformed. */
  MALFORMED("malformed"),
  /** A stream with an error event. */
  ERROR_EVENT("error_event"),
  /** The stream has lost, repeated or changed frames. */
  FRAMES("frames");

  private final String wire;

  Failure(String wire) {
    this.wire = wire;
  }

  String wire() {
    return wire;
  }
}
