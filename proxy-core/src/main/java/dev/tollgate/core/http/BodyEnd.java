package dev.tollgate.core.http;

/** Message after a body's last byte; also follows the head of a message without a body. */
public enum BodyEnd {
  BODY_END
}
