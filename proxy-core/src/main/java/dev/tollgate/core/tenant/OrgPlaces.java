package dev.tollgate.core.tenant;

import dev.tollgate.core.id.OrgId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many of the places that all share each organization has: beyond a bound one organization
 * waits for itself, and not the others for it. Any thread.
 */
public final class OrgPlaces {
  private final int most;
  private final ConcurrentMap<OrgId, Integer> taken = new ConcurrentHashMap<>();

  public OrgPlaces(int most) {
    this.most = most;
  }

  /** Takes a place, which {@link #end} gives back; false: there is none. */
  public boolean begin(OrgId org) {
    boolean[] has = {false};
    var _ =
        taken.compute(
            org,
            (_, before) -> {
              int now = before == null ? 0 : before;
              has[0] = now < most;
              return has[0] ? now + 1 : before;
            });
    return has[0];
  }

  public void end(OrgId org) {
    var _ = taken.computeIfPresent(org, (_, before) -> before == 1 ? null : before - 1);
  }
}
