package dev.tollgate.server.account;

import org.jspecify.annotations.Nullable;

/** Object that each change gives a higher version, so that a change of an old one is noticed. */
public interface Versioned {
  int version();

  /**
   * Requires that the caller saw the current version of what it changes.
   *
   * @param seen null: any
   * @throws Refused 409 if it is another one
   */
  static void requireSeen(@Nullable Integer seen, int current) {
    if (seen != null && seen != current) {
      throw Refused.versionConflict(current);
    }
  }
}
