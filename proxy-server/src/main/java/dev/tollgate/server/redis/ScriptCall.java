package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.limit.Drawn.Level;
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
record ScriptCall(Script script, List<String> keys, List<String> arguments) {
  /** How long a node is believed to live that says nothing: a killed one's slots are free then. */
  static final Duration LEASE = Duration.ofSeconds(10);

  /** Longer than any request that is the only one of its key: nothing else keeps the counts. */
  private static final Duration SLOTS_KEPT = Duration.ofDays(1);

  /** Of who was counted nowhere so far. */
  static final String NO_EPOCH = "";

  private static final String LEASE_MILLIS = millis(LEASE);
  private static final String SLOTS_KEPT_MILLIS = millis(SLOTS_KEPT);
  private static final String NO_SLOT = "";
  private static final Map<Scope, Map<Unit, String>> BUCKET_PREFIXES = bucketPrefixes();

  ScriptCall {
    keys = List.copyOf(keys);
    arguments = List.copyOf(arguments);
  }

  static ScriptCall take(Draw draw, String epoch) {
    var call = new Building(members(epoch), slots(draw.slot()));
    String request = isLook(draw) ? "" : draw.request().value();
    call.arguments.addAll(List.of(request, epoch, LEASE_MILLIS, SLOTS_KEPT_MILLIS));
    call.arguments.add(Integer.toString(slotsMost(draw.slot())));
    draw.takes().forEach(take -> call.bucket(take.bucket(), take.amount()));
    return call.of(Script.TAKE);
  }

  /** Whether it takes nothing, so that there is nothing to end. */
  static boolean isLook(Draw draw) {
    return draw.takesNothing();
  }

  /** What a take was answered. */
  static Drawn drawn(List<Long> answer) {
    List<Level> levels = new ArrayList<>();
    for (int i = 2; i < answer.size(); i += 2) {
      levels.add(new Level(answer.get(i), answer.get(i + 1)));
    }
    return answer.get(0) == 0
        ? new Drawn.Taken(levels)
        : new Drawn.Refused(levels, answer.get(1) == 1);
  }

  /**
   * Frees the slot and gives back what is due.
   *
   * @param epochs in which the draw may be counted
   */
  static ScriptCall end(DrawEnd end, List<String> epochs) {
    Draw draw = end.draw();
    var call = new Building(slots(draw.slot()));
    epochs.forEach(epoch -> call.keys.add(members(epoch)));
    call.arguments.addAll(List.of(draw.request().value(), Integer.toString(epochs.size())));
    call.arguments.addAll(epochs);
    switch (end) {
      case DrawEnd.Used used -> correct(call, used);
      case DrawEnd.InVain _ ->
          draw.takes().forEach(take -> call.bucket(take.bucket(), take.amount()));
    }
    return call.of(Script.END);
  }

  private static void correct(Building call, DrawEnd.Used end) {
    // what providers say may be absurd
    long used = Math.clamp(end.tokens(), 0, Bucket.CAPACITY_MAX);
    for (Take take : end.draw().takes()) {
      if (take.bucket().unit() == Unit.TOKENS_PER_MINUTE && take.amount() != used) {
        call.bucket(take.bucket(), take.amount() - used);
      }
    }
  }

  /** Frees the slot, if it is held, and gives nothing else back. */
  static ScriptCall free(Draw draw, String epoch) {
    return end(new DrawEnd.Used(draw, draw.tokens()), List.of(epoch));
  }

  /** The node's own sign lives on from one epoch to the next. */
  static ScriptCall beat(String epoch) {
    String node = epoch.substring(0, epoch.lastIndexOf('.'));
    return new ScriptCall(
        Script.BEAT, List.of(members(epoch), "tollgate:node:" + node), List.of(LEASE_MILLIS));
  }

  /** Counts draws under an epoch and, in the same step, no longer under the one before. */
  static ScriptCall restate(List<Draw> draws, String before, String epoch) {
    List<String> keys = new ArrayList<>(List.of(members(epoch), members(before)));
    List<String> arguments =
        new ArrayList<>(List.of(epoch, LEASE_MILLIS, SLOTS_KEPT_MILLIS, before));
    for (Draw draw : draws) {
      keys.add(slots(draw.slot()));
      arguments.add(draw.request().value());
    }
    return new ScriptCall(Script.RESTATE, keys, arguments);
  }

  static String members(String epoch) {
    return "tollgate:members:" + epoch;
  }

  private static String slots(Slot slot) {
    return switch (slot) {
      case Slot.Unlimited _ -> NO_SLOT;
      case Slot.OneOf oneOf -> "tollgate:slots:" + oneOf.id();
    };
  }

  private static int slotsMost(Slot slot) {
    return switch (slot) {
      case Slot.Unlimited _ -> 0;
      case Slot.OneOf oneOf -> oneOf.most();
    };
  }

  private static String prefix(Bucket bucket) {
    var ofScope = Objects.requireNonNull(BUCKET_PREFIXES.get(bucket.scope()));
    return Objects.requireNonNull(ofScope.get(bucket.unit()));
  }

  private static Map<Scope, Map<Unit, String>> bucketPrefixes() {
    var prefixes = new EnumMap<Scope, Map<Unit, String>>(Scope.class);
    for (Scope scope : Scope.values()) {
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
  private static final class Building {
    private final List<String> keys;
    private final List<String> arguments = new ArrayList<>();

    Building(String... first) {
      keys = new ArrayList<>(List.of(first));
    }

    void bucket(Bucket bucket, long amount) {
      keys.add(prefix(bucket) + bucket.id());
      arguments.add(Long.toString(amount));
      arguments.add(Long.toString(bucket.capacity()));
      arguments.add(Long.toString(bucket.unit().periodMicros()));
    }

    ScriptCall of(Script script) {
      return new ScriptCall(script, keys, arguments);
    }
  }
}
