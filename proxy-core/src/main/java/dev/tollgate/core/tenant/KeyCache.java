package dev.tollgate.core.tenant;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.net.AddressBlock;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyLookups.PendingLookup;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Cache of recently used API keys by hash, shared by all event loops. Entries are valid only while
 * the cache receives changes: a poll of the store's changes must have succeeded within the last 5
 * seconds. If the store is down, active keys stay usable for 60 seconds; everything else is then
 * unavailable. No call blocks; a missing key is looked up once, however many requests wait for it,
 * and within the budget of the caller if no key is found.
 */
public final class KeyCache {
  private final Cache<KeyHash, ApiKey> known;
  private final Cache<KeyHash, Long> unknownSince;
  private final Rules rules;
  private final KeyLookups lookups;
  private final LookupBudget budget;
  private final KeyIds ids = new KeyIds();
  private final AtomicReference<@Nullable Long> polledAt = new AtomicReference<>();
  private final AtomicReference<@Nullable Long> failedAt = new AtomicReference<>();

  public KeyCache(Loader loader, Rules rules) {
    this.rules = rules;
    this.known = boundedBy(rules.knownMax());
    this.unknownSince = boundedBy(rules.unknownMax());
    this.lookups = new KeyLookups(loader, rules.lookups(), this::remember);
    this.budget = new LookupBudget(rules.callersMax());
  }

  /** Loader of keys; the answer may arrive on any thread, at once or later, exactly once. */
  public interface Loader {
    void load(KeyHash hash, Consumer<Lookup> whenDone);
  }

  /**
   * Lifetimes and bounds of the cache.
   *
   * @param fresh greatest age of the last successful poll for an answer from the cache
   * @param outage greatest age of that poll for an active key while the store is down
   * @param unknown how long a key is cached as unknown
   * @param backoff time after a failure in which keys covered by {@code outage} are not looked up
   * @param callersMax number of callers without a known key whose look-ups are counted
   */
  public record Rules(
      Duration fresh,
      Duration outage,
      Duration unknown,
      Duration backoff,
      int knownMax,
      int unknownMax,
      int callersMax,
      PendingMax lookups) {
    public static final Rules DEFAULT =
        new Rules(
            Duration.ofSeconds(5),
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            100_000,
            10_000,
            65_536,
            new PendingMax(32, 8, LookupBudget.UNKNOWN_BURST));
  }

  /**
   * Bounds of pending lookups; keys whose id exists have places of their own.
   *
   * @param existing keys whose id exists
   * @param perKey those of one id
   * @param unknown keys whose id does not exist: beyond, they count as over their budget
   */
  public record PendingMax(int existing, int perKey, int unknown) {}

  /** Result of a lookup in the cache. */
  public sealed interface CacheResult {
    /** A lookup of the store is pending; its result follows. */
    record Pending() implements CacheResult {}

    /** A final answer. */
    sealed interface FinalResult extends CacheResult {}

    record Known(ApiKey key) implements FinalResult {}

    record Unknown() implements FinalResult {}

    /** The caller named too many keys that do not exist; this one was not looked up. */
    record OverBudget() implements FinalResult {}

    /** The store did not answer: 503, never 401. */
    record Unavailable(String reason) implements FinalResult {}
  }

  private static final CacheResult.OverBudget OVER_BUDGET = new CacheResult.OverBudget();
  private static final Lookup TOO_MANY = new Lookup.Unavailable("too many key look-ups");
  private static final CacheResult.Unknown UNKNOWN = new CacheResult.Unknown();
  private static final CacheResult.Pending PENDING = new CacheResult.Pending();

  /**
   * Finds a key. {@code whenDone} is called only if the result is {@code Pending}: once, through
   * {@code executor}.
   *
   * @param from the caller's address; null if it cannot be read
   */
  public CacheResult find(
      ValidKey asked,
      @Nullable InetAddress from,
      long nowNanos,
      Executor executor,
      Consumer<CacheResult.FinalResult> whenDone) {
    KeyHash hash = asked.hash();
    ApiKey key = known.getIfPresent(hash);
    if (key == null) {
      return findUnproven(asked.keyId(), hash, from, nowNanos, executor, whenDone);
    }
    if (polledWithin(rules.fresh(), nowNanos)
        || (survivesOutage(key, nowNanos) && failedWithin(rules.backoff(), nowNanos))) {
      return new CacheResult.Known(key);
    }
    // The caller proved the key before, so the look-up is free.
    Consumer<Lookup> waiter =
        lookup -> executor.execute(() -> whenDone.accept(finalResult(lookup, hash, nowNanos)));
    return switch (lookups.join(key.id(), hash, true, nowNanos, waiter)) {
      case PendingLookup.Joined _ -> PENDING;
      case PendingLookup.Full _ -> finalResult(TOO_MANY, hash, nowNanos);
    };
  }

  private CacheResult findUnproven(
      KeyId id,
      KeyHash hash,
      @Nullable InetAddress from,
      long nowNanos,
      Executor executor,
      Consumer<CacheResult.FinalResult> whenDone) {
    boolean exists = ids.mayContain(id);
    AddressBlock block = from == null ? AddressBlock.UNREADABLE : AddressBlock.of(from);
    LookupBudget.Payment payment =
        exists ? budget.existing(block, id, nowNanos) : budget.unknown(block, nowNanos);
    if (isCachedAsUnknown(hash, nowNanos)) {
      return payment.tryPay() ? UNKNOWN : OVER_BUDGET;
    }
    Consumer<Lookup> waiter =
        lookup ->
            executor.execute(
                () -> whenDone.accept(paid(payment, finalResult(lookup, hash, nowNanos))));
    // To wait for the look-up of another request costs only if no key is found.
    if (lookups.tryJoin(hash, waiter)) {
      return PENDING;
    }
    if (!payment.tryPay()) {
      return OVER_BUDGET;
    }
    return switch (lookups.join(id, hash, exists, nowNanos, waiter)) {
      case PendingLookup.Joined _ -> PENDING;
      case PendingLookup.Full _ when !exists -> OVER_BUDGET;
      case PendingLookup.Full _ -> paid(payment, finalResult(TOO_MANY, hash, nowNanos));
    };
  }

  /** Only a key that does not exist costs; an outage is not the caller's fault. */
  private static CacheResult.FinalResult paid(
      LookupBudget.Payment payment, CacheResult.FinalResult result) {
    return switch (result) {
      case CacheResult.Known _, CacheResult.Unavailable _ -> {
        payment.takeBack();
        yield result;
      }
      case CacheResult.Unknown _, CacheResult.OverBudget _ ->
          payment.tryPay() ? result : OVER_BUDGET;
    };
  }

  /** Adds the id of a key in the store, so that its first look-up has a place. */
  public void exists(KeyId key) {
    ids.add(key);
  }

  /** Marks the ids as complete: every key of the store was passed to {@link #exists}. */
  public void allExist() {
    ids.completed();
  }

  /** Removes changed keys, and discards the results of pending lookups; the keys exist. */
  public void changed(Set<KeyId> keys) {
    keys.forEach(ids::add);
    forget(key -> keys.contains(key.id()));
  }

  public void changed(KeyId key) {
    changed(Set.of(key));
  }

  /** Removes all keys of organizations whose state changed. */
  public void changedOrgs(Set<OrgId> orgs) {
    forget(key -> orgs.contains(key.org().id()));
  }

  public void changedOrg(OrgId org) {
    changedOrgs(Set.of(org));
  }

  /** Removes all keys. */
  public void changedAll() {
    forget(key -> true);
  }

  /**
   * Records a successful poll, after its changes were applied.
   *
   * @param beganNanos when the poll began: it may lack changes after that
   */
  public void pollSucceeded(long beganNanos) {
    polledAt.set(beganNanos);
  }

  /** Records a failed poll: the store is down or does not respond. */
  public void pollFailed(long nowNanos) {
    failedAt.set(nowNanos);
  }

  /** Returns the number of cached keys, for a gauge. */
  public long size() {
    return known.estimatedSize();
  }

  /** Returns the number of pending lookups, for a gauge. */
  public int pendingLookups() {
    return lookups.pendingCount();
  }

  /** Returns the number of callers whose look-ups are counted, for a gauge. */
  public long callers() {
    return budget.size();
  }

  /** Returns the number of known key ids, for a gauge. */
  public int ids() {
    return ids.size();
  }

  private void forget(Predicate<ApiKey> matching) {
    // The order matters: from here on results of earlier look-ups are dropped, and those that
    // arrived before are in the maps that are searched next.
    lookups.invalidate();
    known.asMap().values().removeIf(matching);
    unknownSince.invalidateAll();
  }

  /** Caches the result of a lookup that no change overtook, before its waiters are called. */
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
        ApiKey kept =
            known.getIfPresent(hash); // read now: a change may have arrived since the look-up began
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
        && polledWithin(rules.fresh(), nowNanos); // else the key may have been created since
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
    // Callers pass in the time that ages are compared with; evictions run on the caller's thread.
    return Caffeine.newBuilder().maximumSize(entriesMax).executor(Runnable::run).build();
  }
}
