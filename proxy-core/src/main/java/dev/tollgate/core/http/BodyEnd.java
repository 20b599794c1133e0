package dev.tollgate.core.http;

/**
 * Message that the HTTP decoders fire after a body's last byte, and after the head of a message
 * without a body.
 */
public enum BodyEnd {
  BODY_END
}
