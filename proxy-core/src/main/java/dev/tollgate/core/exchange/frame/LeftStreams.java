package dev.tollgate.core.exchange.frame;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.tollgate.core.id.OrgId;
import java.util.BitSet;

/**
 * Which of each organization's last 200 streams on this node its clients left behind content. An
 * organization that left more than 5 % of them leaves habitually, and its streams are drained for
 * their usage (docs/decisions/disconnects.md#uncertain-charges). Shared by all event loops.
 */
public final class LeftStreams {
  static final int STREAMS = 200;
  static final int LEFT_MAX = STREAMS * 5 / 100;
  static final int ORGANIZATIONS_MAX = 10_000;

  // Only organizations that left a stream; the least recently used one is forgotten.
  private final Cache<OrgId, LastStreams> organizations =
      Caffeine.newBuilder().maximumSize(ORGANIZATIONS_MAX).executor(Runnable::run).build();

  /** Counts a stream that delivered content and has ended. */
  public void ended(OrgId organization, boolean left) {
    LastStreams known =
        left
            ? organizations.get(organization, _ -> new LastStreams())
            : organizations.getIfPresent(organization);
    if (known != null) {
      known.add(left);
    }
  }

  /** True if the organization left more than 5 % of its last 200 streams. */
  public boolean isHabitual(OrgId organization) {
    LastStreams known = organizations.getIfPresent(organization);
    return known != null && known.left() > LEFT_MAX;
  }

  long organizations() {
    organizations.cleanUp();
    return organizations.estimatedSize();
  }

  /** Ring of an organization's last streams; those before its first entry were not left. */
  private static final class LastStreams {
    private final BitSet left = new BitSet(STREAMS);
    private int next;

    synchronized void add(boolean isLeft) {
      left.set(next, isLeft);
      next = (next + 1) % STREAMS;
    }

    synchronized int left() {
      return left.cardinality();
    }
  }
}
