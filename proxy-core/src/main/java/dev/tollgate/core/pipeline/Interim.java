package dev.tollgate.core.pipeline;

/** What is sent ahead of a reply. */
enum Interim {
  /** {@code 100 Continue}: the body is wanted. */
  CONTINUE
}
