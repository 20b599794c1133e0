package dev.tollgate.server.account.signin;

import java.util.Locale;

/** State of a person's account. */
public enum UserState {
  /** The address is not verified yet. */
  PENDING,
  ACTIVE,
  /** Switched off by an operator. */
  DISABLED,
  /** Name and address are erased; it is final. */
  CLOSED;

  /** Returns the name on the wire and in the store, such as {@code active}. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  static UserState of(String stored) {
    return valueOf(stored.toUpperCase(Locale.ROOT));
  }
}
