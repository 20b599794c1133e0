package dev.tollgate.core.api;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Deviation from the wire format in a provider's successful reply, counted for the operator. */
public enum ProtocolAnomaly {
  /** Events after the terminator, or bytes after the body. */
  UNSOLICITED_BYTES,
  /** Several usage objects that differ; the last one counts. */
  USAGES_DIFFER,
  /** The connection ended within a frame after the finish, such as the usage chunk. */
  CUT_OFF,
  /** The last usage was implausible; the gateway's own estimate counts instead. */
  USAGE_UNSOUND;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns this anomaly together with others. */
  public Set<ProtocolAnomaly> and(Set<ProtocolAnomaly> others) {
    Set<ProtocolAnomaly> all = EnumSet.of(this);
    all.addAll(others);
    return all;
  }

  /** Returns the name in logs and metrics. */
  public String wire() {
    return wire;
  }
}
