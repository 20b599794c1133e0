package dev.tollgate.core.egress;

import java.util.Locale;

/** How a fetch ended, as metrics name it. */
public enum FetchOutcome {
  OK,
  /** No https URL: the client's own, or where a redirect points. */
  INVALID,
  /** An address, a name or a port that may not be called. */
  BLOCKED,
  /** The name has no address, or none in time. */
  UNRESOLVED,
  /** Nobody answered as the host. */
  UNREACHABLE,
  TIMED_OUT,
  /** The reply broke off, or was no HTTP. */
  BROKEN,
  /** Another status than 200. */
  BAD_STATUS,
  TOO_MANY_REDIRECTS,
  TOO_LARGE,
  /** No image, or a compressed one. */
  BAD_TYPE,
  /** The node has no room: too many fetches, names or bytes. */
  NO_ROOM,
  /** Whoever asked for it left. */
  CANCELLED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The label, such as {@code too_large}. */
  public String wire() {
    return wire;
  }
}
