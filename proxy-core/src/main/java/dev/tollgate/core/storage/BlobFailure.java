package dev.tollgate.core.storage;

import java.util.Locale;

/** Why a store did not do what it was asked. */
public enum BlobFailure {
  /** Its disk or its quota is full. */
  FULL,
  /** It has no place for one more task. */
  BUSY,
  /** Nobody answers there. */
  UNREACHABLE,
  /** It did not answer in time. */
  TIMED_OUT,
  /** It does not accept who asks, or what is asked. */
  REFUSED,
  /** It failed. */
  FAILED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in metrics. */
  public String wire() {
    return wire;
  }
}
