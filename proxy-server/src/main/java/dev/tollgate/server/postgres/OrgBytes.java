package dev.tollgate.server.postgres;

import dev.tollgate.core.id.OrgId;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * How many bytes of replies are kept for each organization: what the store said a while ago, what
 * this node stored since, and what it is about to store. Other nodes' are seen when the store is
 * asked next. Any thread.
 */
final class OrgBytes {
  private static final long TRUSTED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What says that a reply is not kept is no smaller. */
  private static final int ALWAYS_KEPT_BYTES = 1024;

  private final long most;
  private final LongSupplier nanos;
  private final ConcurrentMap<OrgId, Known> known = new ConcurrentHashMap<>();

  /** Adds up what is kept for one organization. */
  interface Sum {
    long bytes() throws SQLException;
  }

  /**
   * What is known of one organization.
   *
   * @param storedHere only grows, so that a sum can tell what was stored while it was made
   * @param users who would miss this if it were forgotten
   */
  private record Known(
      long bytes, long sinceNanos, long storedHere, long underWayBytes, int users) {
    Known used(int more) {
      return new Known(bytes, sinceNanos, storedHere, underWayBytes, users + more);
    }

    Known summed(long sum, long before, long nowNanos) {
      return new Known(sum + storedHere - before, nowNanos, storedHere, underWayBytes, users);
    }

    Known underWay(long more) {
      return new Known(bytes, sinceNanos, storedHere, underWayBytes + more, users);
    }

    Known stored(long more) {
      return new Known(bytes + more, sinceNanos, storedHere + more, underWayBytes, users);
    }
  }

  OrgBytes(long most, LongSupplier nanos) {
    this.most = most;
    this.nanos = nanos;
  }

  /** A place for one reply of so many bytes, which has none yet. */
  Place place(OrgId org, int bytes) {
    return new Place(org, bytes);
  }

  /**
   * The room of one reply, however often it is tried to store it. Ended once, by {@link #stored} or
   * {@link #giveBack}; its steps are one after the other.
   */
  final class Place {
    private final OrgId org;
    private final int bytes;
    private boolean taken;

    private Place(OrgId org, int bytes) {
      this.org = org;
      this.bytes = bytes;
    }

    /** Counts the reply unless it is counted; false: the organization has no room for it. */
    boolean take(Sum sum) throws SQLException {
      if (taken || bytes <= ALWAYS_KEPT_BYTES) {
        return true;
      }
      Known before = begin(org);
      try {
        if (!isTrusted(before)) {
          long kept = sum.bytes();
          long now = nanos.getAsLong();
          change(org, each -> each.summed(kept, before.storedHere(), now));
        }
        taken = fits(org, bytes);
      } finally {
        if (!taken) {
          change(org, each -> each.used(-1));
        }
      }
      return taken;
    }

    /** The reply is in the store; nothing to do where it had no room. */
    void stored() {
      if (taken) {
        taken = false;
        change(org, each -> each.underWay(-bytes).stored(bytes).used(-1));
      }
    }

    /** The reply is not in the store and will not be; nothing to do where it had no room. */
    void giveBack() {
      if (taken) {
        taken = false;
        change(org, each -> each.underWay(-bytes).used(-1));
      }
    }
  }

  private Known begin(OrgId org) {
    known.values().removeIf(each -> each.users() == 0 && !isTrusted(each));
    long untrusted = nanos.getAsLong() - TRUSTED_NANOS;
    return known.compute(
        org, (_, now) -> (now == null ? new Known(0, untrusted, 0, 0, 0) : now).used(1));
  }

  private boolean fits(OrgId org, int bytes) {
    boolean[] fits = {false};
    change(
        org,
        now -> {
          fits[0] = now.bytes() + now.underWayBytes() + bytes <= most;
          return fits[0] ? now.underWay(bytes) : now;
        });
    return fits[0];
  }

  /** Whoever changes it uses it, so that it is there. */
  private void change(OrgId org, UnaryOperator<Known> change) {
    var _ = known.computeIfPresent(org, (_, now) -> change.apply(now));
  }

  private boolean isTrusted(Known one) {
    return nanos.getAsLong() - one.sinceNanos() < TRUSTED_NANOS;
  }
}
