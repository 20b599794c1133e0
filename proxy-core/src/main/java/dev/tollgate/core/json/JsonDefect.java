package dev.tollgate.core.json;

/** Defect of a document that strict JSON refuses and {@link JsonMembers#readRepaired} repairs. */
public enum JsonDefect {
  /** A bare {@code NaN}, {@code Infinity} or {@code -Infinity}, which is read as null. */
  NON_FINITE_NUMBER,
  /** Bytes in a string that are not UTF-8, which become U+FFFD. */
  INVALID_UTF8
}
