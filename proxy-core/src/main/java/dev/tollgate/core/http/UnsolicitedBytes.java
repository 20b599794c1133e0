package dev.tollgate.core.http;

/**
 * Message that {@link ResponseDecoder} fires for an upstream server's bytes that belong to no
 * request: after a response's end or on an idle connection. It is fired once; the connection must
 * not be used again.
 */
public enum UnsolicitedBytes {
  UNSOLICITED_BYTES
}
