package dev.tollgate.core.tenant;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import org.jspecify.annotations.Nullable;

/**
 * Organization, with what a request needs of it.
 *
 * @param monthlyLimit spending limit of a calendar month; null: none
 */
public record Org(OrgId id, String name, State state, @Nullable MicroUsd monthlyLimit) {
  /** State of an organization; only an active one is served. */
  public enum State {
    ACTIVE,
    SUSPENDED
  }
}
