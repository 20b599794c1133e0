package dev.tollgate.server.ops;

/** What the numbers of a {@link Family} are. */
public enum Kind {
  COUNTER,
  GAUGE,
  HISTOGRAM
}
