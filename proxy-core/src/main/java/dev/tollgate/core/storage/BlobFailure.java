package dev.tollgate.core.storage;

import java.util.Locale;

/** Reason why storing or deleting a blob failed. */
public enum BlobFailure {
  /** The disk or the quota is full. */
  FULL,
  /** The store has no capacity for one more task. */
  BUSY,
  /** The store cannot be reached. */
  UNREACHABLE,
  /** The store did not answer in time. */
  TIMED_OUT,
  /** The store rejects the credentials or the request. */
  REFUSED,
  /** Any other failure. */
  FAILED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the label in metrics. */
  public String wire() {
    return wire;
  }
}
