package dev.tollgate.core.catalog;

import java.util.Locale;

/**
 * Way in which another provider continues a stream that broke off after content
 * (docs/decisions/retries.md#resume).
 */
public enum Resume {
  /** The stream is not continued. */
  OFF,
  /** The next provider gets the delivered text as the beginning of its answer. */
  PREFILL,
  /** The next provider gets the original request, and what it repeats is held back. */
  REPLAY,
  /** {@link #PREFILL} at providers that support it, else {@link #REPLAY}. */
  AUTO;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in requests, headers and logs. */
  public String wire() {
    return wire;
  }
}
