package dev.tollgate.core.http;

/**
 * Message for bytes without a request: after a response's end or on an idle connection. Fired once;
 * the connection must not be used again.
 */
public enum UnsolicitedBytes {
  UNSOLICITED_BYTES
}
