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
 * A script with its keys and arguments. A request is a member of its node's epoch: that one key
 * says that the node lives, and goes soon after the node; the slots of an API key are counts by
 * epoch, of which those without members do not count.
 */
record ScriptCall(RedisScript script, List<String> keys, List<String> arguments) {
  /** How long a node is believed to live that says nothing: a killed one's slots are free then. */
  static final Duration LEASE = Duration.ofSeconds(10);

  /** Longer than any request that is the only one of its key: nothing else keeps the counts. */
  private static final Duration SLOTS_TTL = Duration.ofDays(1);

  /** Of who was counted nowhere so far. */
  static final String NO_EPOCH = "";

  private static final String LEASE_MILLIS = millis(LEASE);
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
    acquire.amounts().forEach(take -> call.bucket(take.bucket(), take.amount()));
    return call.build(RedisScript.TAKE);
  }

  /** Whether it takes nothing, so that there is nothing to end. */
  static boolean isProbe(Acquire acquire) {
    return acquire.isProbe();
  }

  /** What a take was answered. */
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
   * Frees the slot and gives back what is due.
   *
   * @param epochs in which the draw may be counted
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
          acquire.amounts().forEach(take -> call.bucket(take.bucket(), take.amount()));
    }
    return call.build(RedisScript.END);
  }

  private static void correct(Builder call, PermitRelease.Used release) {
    // what providers say may be absurd
    long used = Math.clamp(release.tokens(), 0, Bucket.CAPACITY_MAX);
    for (BucketAmount take : release.acquire().amounts()) {
      if (take.bucket().unit() == Unit.TOKENS_PER_MINUTE && take.amount() != used) {
        call.bucket(take.bucket(), take.amount() - used);
      }
    }
  }

  /** Frees the slot, if it is held, and gives nothing else back. */
  static ScriptCall free(Acquire acquire, String epoch) {
    return end(new PermitRelease.Used(acquire, acquire.tokens()), List.of(epoch));
  }

  /** The node's own sign lives on from one epoch to the next. */
  static ScriptCall heartbeat(String epoch) {
    String node = epoch.substring(0, epoch.lastIndexOf('.'));
    return new ScriptCall(
        RedisScript.BEAT, List.of(members(epoch), "tollgate:node:" + node), List.of(LEASE_MILLIS));
  }

  /** Counts draws under an epoch and, in the same step, no longer under the one before. */
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
      case Slot.Limited oneOf -> "tollgate:slots:" + oneOf.id();
    };
  }

  private static int slotsMax(Slot slot) {
    return switch (slot) {
      case Slot.Unlimited _ -> 0;
      case Slot.Limited oneOf -> oneOf.max();
    };
  }

  private static String prefix(Bucket bucket) {
    var ofScope = Objects.requireNonNull(BUCKET_PREFIXES.get(bucket.scope()));
    return Objects.requireNonNull(ofScope.get(bucket.unit()));
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

  /** Keys and arguments of a call about one request, in step. */
  private static final class Builder {
    private final List<String> keys;
    private final List<String> arguments = new ArrayList<>();

    Builder(String... first) {
      keys = new ArrayList<>(List.of(first));
    }

    void bucket(Bucket bucket, long amount) {
      keys.add(prefix(bucket) + bucket.id());
      arguments.add(Long.toString(amount));
      arguments.add(Long.toString(bucket.capacity()));
      arguments.add(Long.toString(bucket.unit().periodMicros()));
    }

    ScriptCall build(RedisScript script) {
      return new ScriptCall(script, keys, arguments);
    }
  }
}
