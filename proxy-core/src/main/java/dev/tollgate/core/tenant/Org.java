package dev.tollgate.core.tenant;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import org.jspecify.annotations.Nullable;

/**
 * An organization as far as a request needs it.
 *
 * @param monthlyLimit what it may spend in a calendar month; null: no limit
 */
public record Org(OrgId id, String name, State state, @Nullable MicroUsd monthlyLimit) {
  /** Only an active organization is served. */
  public enum State {
    ACTIVE,
    SUSPENDED
  }
}
