package dev.tollgate.core.egress;

import java.util.Locale;

/** Outcome of a call to a client's URL, an image download or a POST. Metrics use it as a label. */
public enum FetchOutcome {
  OK,
  /** The client's URL or a redirect target is not an https URL. */
  INVALID,
  /** The address, name or port may not be called. */
  BLOCKED,
  /** The name has no address, or none arrived in time. */
  UNRESOLVED,
  /** No address of the host accepted a connection. */
  UNREACHABLE,
  /** TLS failed: the certificate is not trusted, for another name, or not valid now. */
  TLS_FAILED,
  TIMED_OUT,
  /** The reply broke off or is not HTTP. */
  BROKEN,
  /** A status other than 200. */
  BAD_STATUS,
  TOO_MANY_REDIRECTS,
  TOO_LARGE,
  /** The body is not an image, or is compressed. */
  BAD_TYPE,
  /** The node has no room for more fetches, name resolutions or bytes. */
  NO_ROOM,
  /** The request that needed the image has ended. */
  CANCELLED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the label, such as {@code too_large}. */
  public String wire() {
    return wire;
  }
}
