package dev.tollgate.core.api;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What is odd about a reply that is a success all the same: its operator should hear of it. */
public enum ProtocolAnomaly {
  /** Events came behind the terminator, or bytes behind the body. */
  UNSOLICITED_BYTES,
  /** Usage came more than once, and not the same: the last one counts. */
  USAGES_DIFFER,
  /** The connection ended within a frame behind the finish, such as the one with the usage. */
  CUT_OFF,
  /** The last usage was absurd: ours counts instead. */
  USAGE_UNSOUND;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** This and others. */
  public Set<ProtocolAnomaly> and(Set<ProtocolAnomaly> others) {
    Set<ProtocolAnomaly> all = EnumSet.of(this);
    all.addAll(others);
    return all;
  }

  /** The name in logs and metrics. */
  public String wire() {
    return wire;
  }
}
