package dev.tollgate.server.postgres.idempotency;

import dev.tollgate.core.id.OrgId;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Quota of the bytes of stored idempotent replies per organization. Its usage is a sum from the
 * store, the bytes that this node stored since, and those that it is about to store; other nodes'
 * bytes are included at the next sum. Instances are thread-safe.
 */
final class OrgByteQuota {
  private static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The marker that replaces an unstored reply is no smaller. */
  private static final int ALWAYS_KEPT_BYTES = 1024;

  private final long bytesMax;
  private final LongSupplier nanos;
  private final ConcurrentMap<OrgId, OrgUsage> usageByOrg = new ConcurrentHashMap<>();

  /** Query that sums the stored reply bytes of one organization. */
  interface Sum {
    long bytes() throws SQLException;
  }

  /**
   * Reply bytes of one organization, as this node knows them.
   *
   * @param storedHere only grows, so that a sum can tell what was stored while it was made
   * @param users reservations that still need this entry
   */
  private record OrgUsage(
      long bytes, long sinceNanos, long storedHere, long pendingBytes, int users) {
    OrgUsage addUsers(int more) {
      return new OrgUsage(bytes, sinceNanos, storedHere, pendingBytes, users + more);
    }

    OrgUsage summed(long sum, long before, long nowNanos) {
      return new OrgUsage(sum + storedHere - before, nowNanos, storedHere, pendingBytes, users);
    }

    OrgUsage addPending(long more) {
      return new OrgUsage(bytes, sinceNanos, storedHere, pendingBytes + more, users);
    }

    OrgUsage addStored(long more) {
      return new OrgUsage(bytes + more, sinceNanos, storedHere + more, pendingBytes, users);
    }
  }

  OrgByteQuota(long bytesMax, LongSupplier nanos) {
    this.bytesMax = bytesMax;
    this.nanos = nanos;
  }

  /** Returns a reservation for one reply, without any room yet. */
  ByteReservation reservation(OrgId org, int bytes) {
    return new ByteReservation(org, bytes);
  }

  /**
   * Reservation of quota for one reply, over all attempts to store it. It is ended once, by {@link
   * #stored} or {@link #release}; its steps are sequential.
   */
  final class ByteReservation {
    private final OrgId org;
    private final int bytes;
    private boolean reserved;

    private ByteReservation(OrgId org, int bytes) {
      this.org = org;
      this.bytes = bytes;
    }

    /** Counts the reply if it is not counted yet; true if its organization has room for it. */
    boolean reserve(Sum sum) throws SQLException {
      if (reserved || bytes <= ALWAYS_KEPT_BYTES) {
        return true;
      }
      OrgUsage before = begin(org);
      try {
        if (!isFresh(before)) {
          long kept = sum.bytes();
          long now = nanos.getAsLong();
          change(org, each -> each.summed(kept, before.storedHere(), now));
        }
        reserved = fits(org, bytes);
      } finally {
        if (!reserved) {
          change(org, each -> each.addUsers(-1));
        }
      }
      return reserved;
    }

    /** Ends the reservation of a stored reply; no effect if it had no room. */
    void stored() {
      if (reserved) {
        reserved = false;
        change(org, each -> each.addPending(-bytes).addStored(bytes).addUsers(-1));
      }
    }

    /** Ends the reservation of a reply that will not be stored; no effect if it had no room. */
    void release() {
      if (reserved) {
        reserved = false;
        change(org, each -> each.addPending(-bytes).addUsers(-1));
      }
    }
  }

  private OrgUsage begin(OrgId org) {
    usageByOrg.values().removeIf(each -> each.users() == 0 && !isFresh(each));
    long untrusted = nanos.getAsLong() - FRESH_NANOS;
    return usageByOrg.compute(
        org, (_, now) -> (now == null ? new OrgUsage(0, untrusted, 0, 0, 0) : now).addUsers(1));
  }

  private boolean fits(OrgId org, int bytes) {
    boolean[] fits = {false};
    change(
        org,
        now -> {
          fits[0] = now.bytes() + now.pendingBytes() + bytes <= bytesMax;
          return fits[0] ? now.addPending(bytes) : now;
        });
    return fits[0];
  }

  /** The caller is one of its users, so the entry exists. */
  private void change(OrgId org, UnaryOperator<OrgUsage> change) {
    var _ = usageByOrg.computeIfPresent(org, (_, now) -> change.apply(now));
  }

  private boolean isFresh(OrgUsage one) {
    return nanos.getAsLong() - one.sinceNanos() < FRESH_NANOS;
  }
}
