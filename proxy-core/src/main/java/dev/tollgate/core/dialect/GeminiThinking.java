package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Thinking;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import java.util.Optional;

/** How a chat's wish for reasoning is put to Gemini. */
sealed interface GeminiThinking {
  /** As the model does by itself, unseen. */
  record Usual() implements GeminiThinking {}

  /** The client wrote Gemini's own member. */
  record Own(JsonBytes json) implements GeminiThinking {}

  /** As much as it sees fit, shown. */
  record Shown() implements GeminiThinking {}

  /** At most so many tokens; 0: not at all. */
  record Budget(long tokens) implements GeminiThinking {}

  record Level(String name) implements GeminiThinking {}

  long BUDGET_LOW = 1_024;
  long BUDGET_MEDIUM = 8_192;
  long BUDGET_MAX = 24_576;

  /** A fifth of a bounded answer is left to be said. */
  double SHARE_MAX = 0.8;

  /**
   * What a chat's wish comes to at a model; one that comes to nothing is dropped.
   *
   * @param outputMax tokens of the answer, those of thoughts included; 0: unbounded
   */
  static GeminiThinking of(
      JsonMembers chat, Route route, Model model, long outputMax, Dropped dropped) {
    for (String name : new String[] {"thinking_config", "thinkingConfig"}) {
      int own = Given.at(chat, name, JsonKind.OBJECT);
      if (own >= 0) {
        return new Own(JsonBytes.of(chat, own));
      }
    }
    Optional<ReasoningWish> wish = ReasoningWish.of(chat);
    if (wish.isEmpty()) {
      return new Usual();
    }
    GeminiThinking how = how(wish.get(), route, model, outputMax);
    if (how instanceof Usual && !(wish.get().isForNone() && !thinks(route, model))) {
      dropped.add(wish.get().param());
    }
    return how;
  }

  private static boolean thinks(Route route, Model model) {
    boolean able = model.capabilities().isEmpty() || model.capabilities().contains("reasoning");
    return able && style(route) != Thinking.NONE;
  }

  private static Thinking style(Route route) {
    Thinking configured = route.provider().quirks().thinking();
    String name = route.upstreamModel();
    if (configured != Thinking.AUTO) {
      return configured;
    }
    return !GeminiVersion.thinks(name)
        ? Thinking.NONE
        : GeminiVersion.hasLevels(name) ? Thinking.ADAPTIVE : Thinking.BUDGET;
  }

  private static GeminiThinking how(ReasoningWish wish, Route route, Model model, long outputMax) {
    if (!thinks(route, model)) {
      return new Usual();
    }
    if (wish.isForNone()) {
      return GeminiVersion.alwaysThinks(route.upstreamModel()) ? new Usual() : new Budget(0);
    }
    if (wish.tokens() > 0) {
      return budget(wish.tokens(), outputMax, route.upstreamModel());
    }
    if (wish.effort().isEmpty()) {
      return new Shown();
    }
    return switch (style(route)) {
      case ADAPTIVE -> new Level(level(wish.effort(), route.upstreamModel()));
      case AUTO, BUDGET, NONE -> budget(tokens(wish.effort()), outputMax, route.upstreamModel());
    };
  }

  /** Less than the model can be bound to is the usual: all of a short answer would be thought. */
  private static GeminiThinking budget(long tokens, long outputMax, String model) {
    long share = outputMax == 0 ? Long.MAX_VALUE : (long) (outputMax * SHARE_MAX);
    long most = Math.min(share, GeminiVersion.budgetMax(model));
    long least = GeminiVersion.budgetMin(model);
    return most < least ? new Usual() : new Budget(Math.clamp(tokens, least, most));
  }

  private static long tokens(String effort) {
    return switch (effort) {
      case "minimal", "low" -> BUDGET_LOW;
      case "high", "xhigh", "max" -> BUDGET_MAX;
      default -> BUDGET_MEDIUM;
    };
  }

  private static String level(String effort, String model) {
    return switch (effort) {
      case "minimal" -> GeminiVersion.isPro(model) ? "low" : "minimal";
      case "low" -> "low";
      case "high", "xhigh", "max" -> "high";
      default -> GeminiVersion.hasMediumLevel(model) ? "medium" : "high";
    };
  }

  default void writeTo(JsonOut out) {
    switch (this) {
      case Usual _ -> {}
      case Own own -> out.name("thinkingConfig").raw(own.json());
      case Shown _ -> begin(out).endObject();
      case Budget budget when budget.tokens() == 0 ->
          out.name("thinkingConfig").beginObject().name("thinkingBudget").number(0).endObject();
      case Budget budget -> begin(out).name("thinkingBudget").number(budget.tokens()).endObject();
      case Level level -> begin(out).name("thinkingLevel").string(level.name()).endObject();
    }
  }

  private static JsonOut begin(JsonOut out) {
    return out.name("thinkingConfig").beginObject().name("includeThoughts").bool(true);
  }
}
