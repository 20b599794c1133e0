package dev.tollgate.core.tenant;

import dev.tollgate.core.id.OrgId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many of the places that all share each organization has: beyond a bound one organization
 * waits for itself, and not the others for it. Any thread.
 */
public final class PerOrgLimit {
  private final int max;
  private final ConcurrentMap<OrgId, Integer> inUse = new ConcurrentHashMap<>();

  public PerOrgLimit(int max) {
    this.max = max;
  }

  /** Takes a place, which {@link #end} gives back; false: there is none. */
  public boolean tryBegin(OrgId org) {
    boolean[] acquired = {false};
    var _ =
        inUse.compute(
            org,
            (_, before) -> {
              int now = before == null ? 0 : before;
              acquired[0] = now < max;
              return acquired[0] ? now + 1 : before;
            });
    return acquired[0];
  }

  public void end(OrgId org) {
    var _ = inUse.computeIfPresent(org, (_, before) -> before == 1 ? null : before - 1);
  }
}
