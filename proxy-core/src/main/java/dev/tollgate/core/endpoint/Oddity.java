package dev.tollgate.core.endpoint;

import java.util.Locale;

/** What is odd about a stream that is a success all the same: its operator should hear of it. */
public enum Oddity {
  /** Events came behind the terminator. */
  SURPLUS,
  /** Usage came more than once, and not the same: the last one counts. */
  USAGES_DIFFER,
  /** The last usage was absurd: ours counts instead. */
  USAGE_UNSOUND;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in logs and metrics. */
  public String wire() {
    return wire;
  }
}
