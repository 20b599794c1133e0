package dev.tollgate.core.tenant;

/**
 * Stored state of an API key (docs/decisions/keys.md#state). Expiry is not stored: it follows from
 * the clock.
 */
public enum KeyState {
  ACTIVE,
  DISABLED,
  REVOKED
}
