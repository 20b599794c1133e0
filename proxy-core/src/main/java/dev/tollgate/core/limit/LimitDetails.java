package dev.tollgate.core.limit;

import dev.tollgate.core.limit.AcquireResult.Level;
import java.util.LinkedHashMap;
import java.util.Map;

/** Factory of the JSON details of a rate-limit bucket, for errors and {@code GET /v1/key}. */
public final class LimitDetails {
  private LimitDetails() {}

  public static Map<String, Object> of(Bucket bucket, Level level) {
    Map<String, Object> details = of(bucket);
    details.put("remaining", Math.max(0, level.remaining()));
    details.put("reset", ResetTime.of(bucket, level));
    return details;
  }

  /** Returns the details without a level. */
  static Map<String, Object> of(Bucket bucket) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("scope", bucket.scope().wire());
    details.put("limit", bucket.capacity());
    details.put("unit", bucket.unit().wire());
    return details;
  }
}
