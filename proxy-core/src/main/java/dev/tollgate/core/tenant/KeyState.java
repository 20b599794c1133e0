package dev.tollgate.core.tenant;

/** The stored state of a key (SPEC 3.2). Expiry is not stored: it follows from the clock. */
public enum KeyState {
  ACTIVE,
  DISABLED,
  REVOKED
}
