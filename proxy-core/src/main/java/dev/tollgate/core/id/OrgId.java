package dev.tollgate.core.id;

import java.util.UUID;

/** UUID of an organization, to which API keys and budgets belong. */
public record OrgId(UUID value) {
  @Override
  public String toString() {
    return value.toString();
  }
}
