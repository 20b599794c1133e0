package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Call of a Redis script, with its keys and arguments. A running request is a member of its node's
 * epoch, a key whose lease the node's heartbeats renew. The slots of an API key are counts by
 * epoch; counts of epochs without members are ignored.
 */
record ScriptCall(RedisScript script, List<String> keys, List<String> arguments) {
  /** Lease of an epoch without heartbeats, after which a killed node's slots are free. */
  static final Duration LEASE = Duration.ofSeconds(10);

  /**
   * Longest time without any node's heartbeat in which no node can have lost its lease, as each
   * missed one heartbeat of its own at most.
   */
  private static final Duration COUNTED_LEASE = LEASE.dividedBy(2);

  /** Lifetime of slot counts, longer than any request, because only acquisitions renew it. */
  private static final Duration SLOTS_TTL = Duration.ofDays(1);

  /** Key of the time since when all nodes' slots are counted. */
  static final String COUNTED_SINCE = "tollgate:counted-since";

  /** Epoch of an acquisition that Redis has not counted before. */
  static final String NO_EPOCH = "";

  private static final String LEASE_MILLIS = millis(LEASE);
  private static final String COUNTED_LEASE_MILLIS = millis(COUNTED_LEASE);
  private static final String SLOTS_TTL_MILLIS = millis(SLOTS_TTL);
  private static final String NO_SLOT = "";
  private static final Map<LimitScope, Map<Unit, String>> BUCKET_PREFIXES = bucketPrefixes();

  ScriptCall {
    keys = List.copyOf(keys);
    arguments = List.copyOf(arguments);
  }

  static ScriptCall acquire(Acquire acquire, String epoch) {
    var call = new Builder(members(epoch), slots(acquire.slot()));
    String request = isProbe(acquire) ? "" : acquire.request().value();
    call.arguments.addAll(List.of(request, epoch, LEASE_MILLIS, SLOTS_TTL_MILLIS));
    call.arguments.add(Integer.toString(slotsMax(acquire.slot())));
    acquire.amounts().forEach(part -> call.bucket(part.bucket(), part.amount()));
    return call.build(RedisScript.ACQUIRE);
  }

  /** True if the acquisition takes nothing, so that there is nothing to end. */
  static boolean isProbe(Acquire acquire) {
    return acquire.isProbe();
  }

  /** Returns the result in a script's answer. */
  static AcquireResult result(List<Long> answer) {
    List<Level> levels = new ArrayList<>();
    for (int i = 2; i < answer.size(); i += 2) {
      levels.add(new Level(answer.get(i), answer.get(i + 1)));
    }
    return answer.get(0) == 0
        ? new AcquireResult.AllAcquired(levels)
        : new AcquireResult.Refused(levels, answer.get(1) == 1);
  }

  /**
   * Returns a call that frees the slot and corrects the buckets.
   *
   * @param epochs epochs in which the acquisition may be counted
   */
  static ScriptCall end(PermitRelease release, List<String> epochs) {
    Acquire acquire = release.acquire();
    var call = new Builder(slots(acquire.slot()));
    epochs.forEach(epoch -> call.keys.add(members(epoch)));
    call.arguments.addAll(List.of(acquire.request().value(), Integer.toString(epochs.size())));
    call.arguments.addAll(epochs);
    switch (release) {
      case PermitRelease.Used used -> correct(call, used);
      case PermitRelease.Undo _ ->
          acquire.amounts().forEach(part -> call.bucket(part.bucket(), part.amount()));
    }
    return call.build(RedisScript.END);
  }

  private static void correct(Builder call, PermitRelease.Used release) {
    // a provider may report any number
    long used = Math.clamp(release.tokens(), 0, Bucket.CAPACITY_MAX);
    for (BucketAmount part : release.acquire().amounts()) {
      if (part.bucket().unit() == Unit.TOKENS_PER_MINUTE && part.amount() != used) {
        call.bucket(part.bucket(), part.amount() - used);
      }
    }
  }

  /** Returns a call that frees the slot, if it is held, and corrects nothing. */
  static ScriptCall free(Acquire acquire, String epoch) {
    return end(new PermitRelease.Used(acquire, acquire.tokens()), List.of(epoch));
  }

  /** Returns a heartbeat, which renews the epoch and the node's own key, which outlasts epochs. */
  static ScriptCall heartbeat(String epoch) {
    String node = epoch.substring(0, epoch.lastIndexOf('.'));
    return new ScriptCall(
        RedisScript.HEARTBEAT,
        List.of(members(epoch), "tollgate:node:" + node, COUNTED_SINCE),
        List.of(LEASE_MILLIS, COUNTED_LEASE_MILLIS));
  }

  /** Returns a call that moves acquisitions from the previous epoch to another, atomically. */
  static ScriptCall restate(List<Acquire> acquires, String previousEpoch, String epoch) {
    List<String> keys = new ArrayList<>(List.of(members(epoch), members(previousEpoch)));
    List<String> arguments =
        new ArrayList<>(List.of(epoch, LEASE_MILLIS, SLOTS_TTL_MILLIS, previousEpoch));
    for (Acquire acquire : acquires) {
      keys.add(slots(acquire.slot()));
      arguments.add(acquire.request().value());
    }
    return new ScriptCall(RedisScript.RESTATE, keys, arguments);
  }

  static String members(String epoch) {
    return "tollgate:members:" + epoch;
  }

  private static String slots(Slot slot) {
    return switch (slot) {
      case Slot.Unlimited _ -> NO_SLOT;
      case Slot.Limited limited -> "tollgate:slots:" + limited.id();
    };
  }

  private static int slotsMax(Slot slot) {
    return switch (slot) {
      case Slot.Unlimited _ -> 0;
      case Slot.Limited limited -> limited.max();
    };
  }

  /** Returns the key of a bucket. */
  static String key(Bucket bucket) {
    var ofScope = Objects.requireNonNull(BUCKET_PREFIXES.get(bucket.scope()));
    return ofScope.get(bucket.unit()) + bucket.id();
  }

  private static Map<LimitScope, Map<Unit, String>> bucketPrefixes() {
    var prefixes = new EnumMap<LimitScope, Map<Unit, String>>(LimitScope.class);
    for (LimitScope scope : LimitScope.values()) {
      var ofScope = new EnumMap<Unit, String>(Unit.class);
      for (Unit unit : Unit.values()) {
        String rate = unit.name().toLowerCase(Locale.ROOT);
        ofScope.put(unit, "tollgate:bucket:" + scope.wire() + ":" + rate + ":");
      }
      prefixes.put(scope, ofScope);
    }
    return prefixes;
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }

  /** Builder of a script call for one request. */
  private static final class Builder {
    private final List<String> keys;
    private final List<String> arguments = new ArrayList<>();

    Builder(String... first) {
      keys = new ArrayList<>(List.of(first));
    }

    void bucket(Bucket bucket, long amount) {
      keys.add(key(bucket));
      arguments.add(Long.toString(amount));
      arguments.add(Long.toString(bucket.capacity()));
      arguments.add(Long.toString(bucket.unit().periodMicros()));
    }

    ScriptCall build(RedisScript script) {
      return new ScriptCall(script, keys, arguments);
    }
  }
}
