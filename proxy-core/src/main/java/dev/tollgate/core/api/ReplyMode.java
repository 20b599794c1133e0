package dev.tollgate.core.api;

/** How the reply to a request comes to its client. */
public enum ReplyMode {
  /** All at once, when its cost is known. */
  WHOLE,
  /** As an event stream, in which a failure can be told. */
  EVENTS,
  /** As bytes that nobody looks into: a failure behind the first of them can only cut them off. */
  BYTES
}
