package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonDefect;
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
  USAGE_UNSOUND,
  /** A bare {@code NaN} or infinity in an event, which was read as null. */
  NON_FINITE_NUMBER,
  /** Bytes in an event's text that are not UTF-8, which became U+FFFD. */
  INVALID_UTF8;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the anomalies of a stream so far, with those of an event that was repaired. */
  public static Set<ProtocolAnomaly> with(Set<ProtocolAnomaly> soFar, Set<JsonDefect> defects) {
    Set<ProtocolAnomaly> all = EnumSet.noneOf(ProtocolAnomaly.class);
    all.addAll(soFar);
    for (JsonDefect defect : defects) {
      all.add(
          switch (defect) {
            case NON_FINITE_NUMBER -> NON_FINITE_NUMBER;
            case INVALID_UTF8 -> INVALID_UTF8;
          });
    }
    return all;
  }

  /** Returns this anomaly together with others. */
  public Set<ProtocolAnomaly> and(Set<ProtocolAnomaly> others) {
    Set<ProtocolAnomaly> all = EnumSet.of(this);
    all.addAll(others);
    return all;
  }

  /** Returns the anomalies of both; usually one has none. */
  public static Set<ProtocolAnomaly> union(Set<ProtocolAnomaly> one, Set<ProtocolAnomaly> other) {
    if (one.isEmpty()) {
      return other;
    }
    Set<ProtocolAnomaly> all = EnumSet.copyOf(one);
    all.addAll(other);
    return all;
  }

  /** Returns the name in logs and metrics. */
  public String wire() {
    return wire;
  }
}
