package dev.tollgate.core.api.responses;

/** Rule by which the operator chooses the {@link ResponseEventSet} of a stream. */
public enum ResponseEventChoice {
  /** Each client gets the set that it needs. */
  BY_CLIENT,
  LISTED,
  EXTENDED;

  /** Returns the set for a client. */
  public ResponseEventSet setFor(ResponseEventSet needed) {
    return switch (this) {
      case BY_CLIENT -> needed;
      case LISTED -> ResponseEventSet.LISTED;
      case EXTENDED -> ResponseEventSet.EXTENDED;
    };
  }
}
