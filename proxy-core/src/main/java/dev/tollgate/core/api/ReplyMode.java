package dev.tollgate.core.api;

/** Way in which a reply reaches its client: whole, as an event stream, or as opaque bytes. */
public enum ReplyMode {
  /** The reply is sent at once, when its cost is known. */
  WHOLE,
  /** The reply is sent as an event stream, which can contain an error. */
  EVENTS,
  /** The reply is sent as opaque bytes: a failure after the first byte can only cut it off. */
  BYTES
}
