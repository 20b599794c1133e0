package dev.tollgate.core.tenant;

import dev.tollgate.core.id.OrgId;

/** An organization as far as a request needs it. */
public record Org(OrgId id, String name, State state) {
  /** Only an active organization is served. */
  public enum State {
    ACTIVE,
    SUSPENDED
  }
}
