package dev.tollgate.core.endpoint;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code routing} member: an object, or a string short for its strategy; OpenRouter's
 * {@code provider} object is an alias (DECISIONS 5). This build routes by priority only: a known
 * strategy beyond that is answered 501 instead of being ignored.
 */
final class RoutingWish {
  private static final Set<String> STRATEGIES =
      Set.of("priority", "cost", "latency", "throughput", "weighted", "round_robin", "least_busy");

  private RoutingWish() {}

  /** Adds issues; returns a fault of its own kind where the wish is valid but cannot be met. */
  static @Nullable Fault check(JsonMembers root, Issues issues) {
    Fault refused = null;
    for (String name : new String[] {"routing", "provider"}) {
      int i = root.indexOf(name);
      if (i < 0 || root.kind(i) == JsonKind.NULL) {
        continue;
      }
      Fault fault =
          switch (root.kind(i)) {
            case STRING -> strategy(root, i, Param.of(name).dot("strategy"), issues);
            case OBJECT -> object(root.object(i), Param.of(name), issues);
            case NUMBER, TRUE, FALSE, NULL, ARRAY -> {
              issues.add(name, "must be an object or the name of a strategy");
              yield null;
            }
          };
      refused = refused == null ? fault : refused;
    }
    return refused;
  }

  private static @Nullable Fault object(JsonMembers wish, Param param, Issues issues) {
    if (issues.addIfCut(wish, param)) {
      return null;
    }
    for (String list : new String[] {"order", "only", "ignore", "models"}) {
      int i = wish.indexOf(list);
      if (i >= 0 && wish.kind(i) != JsonKind.NULL) {
        ValueRule.strings().check(wish, i, param.dot(list), issues);
      }
    }
    int i = wish.indexOf("strategy");
    return i < 0 || wish.kind(i) == JsonKind.NULL
        ? null
        : strategy(wish, i, param.dot("strategy"), issues);
  }

  private static @Nullable Fault strategy(JsonItems items, int i, Param param, Issues issues) {
    String name = items.kind(i) == JsonKind.STRING ? items.string(i) : "";
    if (name.equals("priority")) {
      return null;
    }
    if (name.equals("smart") || STRATEGIES.contains(name)) {
      return new Fault(
          ErrorCode.NOT_IMPLEMENTED,
          "the routing strategy " + name + " is not implemented",
          param.toString(),
          null,
          0,
          false,
          Map.of());
    }
    issues.add(param, "is not a known strategy");
    return null;
  }
}
