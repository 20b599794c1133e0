package dev.tollgate.server.postgres;

import dev.tollgate.core.id.OrgId;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes of replies are kept for each organization: what the store said a while ago, and
 * what this node stored since. Other nodes' are seen when it is asked next. Any thread.
 */
final class OrgBytes {
  private static final long TRUSTED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What says that a reply is not kept is no smaller. */
  private static final int ALWAYS_KEPT_BYTES = 1024;

  private final long most;
  private final LongSupplier nanos;
  private final ConcurrentMap<OrgId, Known> known = new ConcurrentHashMap<>();

  private record Known(long bytes, long sinceNanos) {}

  /** Adds up what is kept for one organization. */
  interface Sum {
    long bytes() throws SQLException;
  }

  OrgBytes(long most, LongSupplier nanos) {
    this.most = most;
    this.nanos = nanos;
  }

  /** Counts so many bytes more; false: the organization has no room for them. */
  boolean take(OrgId org, int bytes, Sum sum) throws SQLException {
    if (bytes <= ALWAYS_KEPT_BYTES) {
      return true;
    }
    if (!isTrusted(known.get(org))) {
      known.values().removeIf(each -> !isTrusted(each));
      known.put(org, new Known(sum.bytes(), nanos.getAsLong()));
    }
    boolean[] fits = {false};
    var _ =
        known.compute(
            org,
            (_, now) -> {
              long held = now == null ? 0 : now.bytes();
              fits[0] = held + bytes <= most;
              long since = now == null ? nanos.getAsLong() : now.sinceNanos();
              return new Known(fits[0] ? held + bytes : held, since);
            });
    return fits[0];
  }

  private boolean isTrusted(@Nullable Known one) {
    return one != null && nanos.getAsLong() - one.sinceNanos() < TRUSTED_NANOS;
  }
}
