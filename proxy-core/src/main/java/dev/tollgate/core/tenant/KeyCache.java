package dev.tollgate.core.tenant;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyLookups.PendingLookup;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys that were looked up lately, shared by all loops. An answer is given only while the cache
 * hears of changes: a poll of the store's changes must have succeeded within the last 5 seconds. If
 * the store is gone, active keys stay usable for 60 seconds; everything else is then unavailable.
 * Nothing here blocks; a key that is not known is asked for once, however many wait for it.
 */
public final class KeyCache {
  private final Cache<KeyHash, ApiKey> known;
  private final Cache<KeyHash, Long> unknownSince;
  private final Rules rules;
  private final KeyLookups lookups;
  private final AtomicReference<@Nullable Long> polledAt = new AtomicReference<>();
  private final AtomicReference<@Nullable Long> failedAt = new AtomicReference<>();

  public KeyCache(Loader loader, Rules rules) {
    this.rules = rules;
    this.known = boundedBy(rules.knownMax());
    this.unknownSince = boundedBy(rules.unknownMax());
    this.lookups = new KeyLookups(loader, rules.pendingMax(), this::remember);
  }

  /** Starts a look-up; the answer may come on any thread, at once or later, exactly once. */
  public interface Loader {
    void load(KeyHash hash, Consumer<Lookup> whenDone);
  }

  /**
   * How long what is believed.
   *
   * @param fresh how old the last successful poll may be for an answer from the cache
   * @param outage how old it may be for an active key, while the store cannot be asked
   * @param unknown how long a key is believed not to exist
   * @param backoff how long after a failure the store is not asked again for a key that the outage
   *     rule covers
   */
  public record Rules(
      Duration fresh,
      Duration outage,
      Duration unknown,
      Duration backoff,
      int knownMax,
      int unknownMax,
      int pendingMax) {
    public static final Rules DEFAULT =
        new Rules(
            Duration.ofSeconds(5),
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            100_000,
            10_000,
            32);
  }

  /** What the cache says of a key. */
  public sealed interface CacheResult {
    /** A look-up is under way; the verdict will be handed over. */
    record Pending() implements CacheResult {}

    /** A final answer. */
    sealed interface FinalResult extends CacheResult {}

    record Known(ApiKey key) implements FinalResult {}

    record Unknown() implements FinalResult {}

    /** Nobody can say at present: 503, never 401. */
    record Unavailable(String reason) implements FinalResult {}
  }

  private static final CacheResult.Unknown UNKNOWN = new CacheResult.Unknown();
  private static final CacheResult.Pending PENDING = new CacheResult.Pending();

  /**
   * Asks for a key. {@code whenDone} is called only if the answer is {@code Pending}: once, through
   * {@code executor}.
   */
  public CacheResult find(
      KeyHash hash, long nowNanos, Executor executor, Consumer<CacheResult.FinalResult> whenDone) {
    ApiKey key = known.getIfPresent(hash);
    if (key != null) {
      if (polledWithin(rules.fresh(), nowNanos)) {
        return new CacheResult.Known(key);
      }
      if (survivesOutage(key, nowNanos) && failedWithin(rules.backoff(), nowNanos)) {
        return new CacheResult.Known(key);
      }
    } else if (isCachedAsUnknown(hash, nowNanos)) {
      return UNKNOWN;
    }
    Consumer<Lookup> waiter =
        lookup -> executor.execute(() -> whenDone.accept(finalResult(lookup, hash, nowNanos)));
    return switch (lookups.join(hash, nowNanos, waiter)) {
      case PendingLookup.Joined boarded -> PENDING;
      case PendingLookup.Full full ->
          finalResult(new Lookup.Unavailable("too many key look-ups"), hash, nowNanos);
    };
  }

  /** These keys are not what they were: forgets them, and whatever look-ups under way bring. */
  public void changed(Set<KeyId> keys) {
    forget(key -> keys.contains(key.id()));
  }

  public void changed(KeyId key) {
    changed(Set.of(key));
  }

  /** The organizations' states changed, and with them all their keys. */
  public void changedOrgs(Set<OrgId> orgs) {
    forget(key -> orgs.contains(key.org().id()));
  }

  public void changedOrg(OrgId org) {
    changedOrgs(Set.of(org));
  }

  /** Anything may have changed. */
  public void changedAll() {
    forget(key -> true);
  }

  /**
   * A poll of the changes succeeded, and what it brought was told.
   *
   * @param beganNanos when the poll began: of changes after that it may not know
   */
  public void pollSucceeded(long beganNanos) {
    polledAt.set(beganNanos);
  }

  /** A poll of the changes failed: the store is gone or silent. */
  public void pollFailed(long nowNanos) {
    failedAt.set(nowNanos);
  }

  /** How many keys are held, for a gauge. */
  public long size() {
    return known.estimatedSize();
  }

  /** How many look-ups are under way, for a gauge. */
  public int pendingLookups() {
    return lookups.pendingCount();
  }

  private void forget(Predicate<ApiKey> matching) {
    // In this order: what a look-up began earlier brings is dropped from here on, and what it
    // brought before is in the maps that are searched now.
    lookups.invalidate();
    known.asMap().values().removeIf(matching);
    unknownSince.invalidateAll();
  }

  /** Called once per look-up that no change overtook, before its waiters hear of it. */
  private void remember(KeyHash hash, Lookup lookup, long startedNanos) {
    switch (lookup) {
      case Lookup.Found found -> {
        known.put(hash, found.key());
        unknownSince.invalidate(hash);
      }
      case Lookup.Unknown unknown -> {
        known.invalidate(hash);
        unknownSince.put(hash, startedNanos);
      }
      case Lookup.Unavailable unavailable -> failedAt.set(startedNanos);
    }
  }

  private CacheResult.FinalResult finalResult(Lookup lookup, KeyHash hash, long nowNanos) {
    return switch (lookup) {
      case Lookup.Found found -> new CacheResult.Known(found.key());
      case Lookup.Unknown unknown -> UNKNOWN;
      case Lookup.Unavailable unavailable -> {
        ApiKey kept = known.getIfPresent(hash); // now: a change may have been told since the asking
        yield kept != null && survivesOutage(kept, nowNanos)
            ? new CacheResult.Known(kept)
            : new CacheResult.Unavailable(unavailable.reason());
      }
    };
  }

  private boolean isCachedAsUnknown(KeyHash hash, long nowNanos) {
    Long since = unknownSince.getIfPresent(hash);
    return since != null
        && nowNanos - since < rules.unknown().toNanos()
        && polledWithin(rules.fresh(), nowNanos); // else it may have been made since
  }

  private boolean survivesOutage(ApiKey key, long nowNanos) {
    return key.state() == KeyState.ACTIVE
        && key.org().state() == Org.State.ACTIVE
        && polledWithin(rules.outage(), nowNanos);
  }

  private boolean polledWithin(Duration time, long nowNanos) {
    return isWithin(polledAt.get(), time, nowNanos);
  }

  private boolean failedWithin(Duration time, long nowNanos) {
    return isWithin(failedAt.get(), time, nowNanos);
  }

  private static boolean isWithin(@Nullable Long instant, Duration time, long nowNanos) {
    return instant != null && nowNanos - instant < time.toNanos();
  }

  private static <V> Cache<KeyHash, V> boundedBy(int entriesMax) {
    // Ages are judged by the time that callers pass in; evictions happen on the caller's thread.
    return Caffeine.newBuilder().maximumSize(entriesMax).executor(Runnable::run).build();
  }
}
