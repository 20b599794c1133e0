package dev.tollgate.core.api;

/** Forms in which a reply reaches its client. */
public enum ReplyMode {
  /** At once, when its cost is known. */
  WHOLE,
  /** As an event stream, which can contain an error. */
  EVENTS,
  /** As opaque bytes: a failure after the first byte can only cut the reply off. */
  BYTES
}
