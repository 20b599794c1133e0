package dev.tollgate.server.postgres;

import dev.tollgate.core.id.OrgId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many requests of each organization ask at once whose turn it is: beyond a bound one
 * organization waits for itself, and not the others for it. Any thread.
 */
final class OrgTurns {
  private final int most;
  private final ConcurrentMap<OrgId, Integer> asking = new ConcurrentHashMap<>();

  OrgTurns(int most) {
    this.most = most;
  }

  /** Takes a place, which {@link #end} gives back; false: there is none. */
  boolean begin(OrgId org) {
    boolean[] taken = {false};
    var _ =
        asking.compute(
            org,
            (_, before) -> {
              int now = before == null ? 0 : before;
              taken[0] = now < most;
              return taken[0] ? now + 1 : before;
            });
    return taken[0];
  }

  void end(OrgId org) {
    var _ = asking.computeIfPresent(org, (_, before) -> before == 1 ? null : before - 1);
  }
}
