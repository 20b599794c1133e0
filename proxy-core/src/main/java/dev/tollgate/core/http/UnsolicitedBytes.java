package dev.tollgate.core.http;

/**
 * The message for bytes that no request asked for: behind a response's end or on an idle
 * connection. Fired once; the connection must not be used again.
 */
public enum UnsolicitedBytes {
  UNSOLICITED_BYTES
}
