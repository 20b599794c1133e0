package dev.tollgate.core.pipeline;

/** Interim response, sent before a reply. */
enum Interim {
  /** {@code 100 Continue}: the body is wanted. */
  CONTINUE
}
