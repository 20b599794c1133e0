package dev.tollgate.core.catalog;

import java.util.Locale;

/**
 * How a stream that broke off behind content is continued by another provider
 * (docs/decisions/retries.md#resume).
 */
public enum Resume {
  /** It is not. */
  OFF,
  /** The next provider is handed what was delivered as the beginning of its answer. */
  PREFILL,
  /** The next provider is asked anew, and what it repeats is held back. */
  REPLAY,
  /** The former at providers that support it, else the latter. */
  AUTO;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in requests, headers and logs. */
  public String wire() {
    return wire;
  }
}
