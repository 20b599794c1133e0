package dev.tollgate.core.pipeline;

/** Interim HTTP response (1xx), sent before a reply. */
enum Interim {
  /** {@code 100 Continue}: the client is to send the body. */
  CONTINUE
}
