package dev.tollgate.server.account;

import java.util.Locale;

/** Constant that is known on the wire and in the store by its name in lower case. */
public interface WireName {
  /** Returns the name in code, as every constant does. */
  String name();

  /** Returns the name on the wire and in the store, such as {@code last_owner}. */
  default String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
