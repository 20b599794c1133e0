package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.WireName;
import java.util.Locale;

/** State of a person's account. */
public enum UserState implements WireName {
  /** The address is not verified yet. */
  PENDING,
  ACTIVE,
  /** Switched off by an operator. */
  DISABLED,
  /** Name and address are erased; it is final. */
  CLOSED;

  static UserState of(String stored) {
    return valueOf(stored.toUpperCase(Locale.ROOT));
  }
}
