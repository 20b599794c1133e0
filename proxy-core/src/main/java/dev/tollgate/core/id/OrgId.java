package dev.tollgate.core.id;

import java.util.UUID;

/** Id of an organization. */
public record OrgId(UUID value) {
  @Override
  public String toString() {
    return value.toString();
  }
}
