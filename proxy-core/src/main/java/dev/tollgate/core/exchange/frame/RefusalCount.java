package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import java.time.Duration;

/**
 * Number of refused requests of one key with one code, admitted within one minute, that have no row
 * in the request log.
 *
 * @param epochMinute minutes since 1970
 * @param code the error code, or the outcome of a request that ended without one
 */
public record RefusalCount(long epochMinute, OrgId org, KeyId key, String code, long refusals) {
  private static final long MINUTE_MILLIS = Duration.ofMinutes(1).toMillis();

  /** Returns the minute of a time. */
  public static long minuteOf(long epochMillis) {
    return Math.floorDiv(epochMillis, MINUTE_MILLIS);
  }

  /** Returns the begin of the minute. */
  public long epochMillis() {
    return epochMinute * MINUTE_MILLIS;
  }
}
