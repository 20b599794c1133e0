package dev.tollgate.core.tenant;

import dev.tollgate.core.id.OrgId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counter of the slots that each organization holds of a common capacity, bounded per organization,
 * so that none can use up the others' part. Safe on any thread.
 */
public final class PerOrgLimit {
  private final int max;
  private final ConcurrentMap<OrgId, Integer> inUse = new ConcurrentHashMap<>();

  public PerOrgLimit(int max) {
    this.max = max;
  }

  /** Takes one slot, released by {@link #end}. Returns false if the organization has none left. */
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
