package dev.tollgate.core.id;

import java.util.UUID;

/** The identity of an organization. */
public record OrgId(UUID value) {
  @Override
  public String toString() {
    return value.toString();
  }
}
