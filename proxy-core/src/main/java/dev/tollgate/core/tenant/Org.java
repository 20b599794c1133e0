package dev.tollgate.core.tenant;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import org.jspecify.annotations.Nullable;

/**
 * Organization that owns API keys: the name, state and spending limit that serving a request needs.
 *
 * @param monthlyLimit spending limit of a calendar month; null means none
 */
public record Org(OrgId id, String name, State state, @Nullable MicroUsd monthlyLimit) {
  /** State of an organization; only an active one is served. */
  public enum State {
    ACTIVE,
    SUSPENDED
  }
}
