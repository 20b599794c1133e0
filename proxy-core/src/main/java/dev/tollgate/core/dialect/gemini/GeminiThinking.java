package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Thinking;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningOptions;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Optional;

/** Gemini's reasoning setting for a chat request, derived from the options that the client sent. */
sealed interface GeminiThinking {
  /** The model's default; the reasoning is not shown. */
  record ModelDefault() implements GeminiThinking {}

  /** Reasoning setting that the client sent in Gemini's own member. */
  record Own(JsonBytes json) implements GeminiThinking {}

  /** Setting with which the model decides how much it reasons, and the reasoning is returned. */
  record Shown() implements GeminiThinking {}

  /** Reasoning of at most {@code tokens} tokens; 0 disables reasoning. */
  record Budget(long tokens) implements GeminiThinking {}

  record Level(String name) implements GeminiThinking {}

  long BUDGET_LOW = 1_024;
  long BUDGET_MEDIUM = 8_192;
  long BUDGET_MAX = 24_576;

  /** Share of a bounded answer that may be reasoning: a fifth is left for the answer. */
  double SHARE_MAX = 0.8;

  /**
   * Returns the form for a model; a request that has no form there is dropped.
   *
   * @param outputMax bound of the answer's tokens, reasoning included; 0 means unbounded
   */
  static GeminiThinking of(
      JsonMembers chat, Route route, Model model, long outputMax, DroppedFields dropped) {
    for (String name : new String[] {"thinking_config", "thinkingConfig"}) {
      int own = JsonReads.find(chat, name, JsonKind.OBJECT);
      if (own >= 0) {
        return new Own(JsonBytes.of(chat, own));
      }
    }
    Optional<ReasoningOptions> options = ReasoningOptions.of(chat);
    if (options.isEmpty()) {
      return new ModelDefault();
    }
    GeminiThinking chosen = choose(options.get(), route, model, outputMax);
    switch (chosen) {
      case ModelDefault _ -> {
        if (!options.get().isDisabled() || thinks(route, model)) {
          dropped.add(options.get().param());
        }
      }
      case Budget budget -> options.get().dropTokensUnless(budget.tokens(), dropped);
      case Level _ -> options.get().dropAboveHigh(dropped);
      case Own _, Shown _ -> {}
    }
    return chosen;
  }

  private static boolean thinks(Route route, Model model) {
    return model.mayHave("reasoning") && style(route) != Thinking.NONE;
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

  private static GeminiThinking choose(
      ReasoningOptions options, Route route, Model model, long outputMax) {
    if (!thinks(route, model)) {
      return new ModelDefault();
    }
    if (options.isDisabled()) {
      return GeminiVersion.alwaysThinks(route.upstreamModel()) ? new ModelDefault() : new Budget(0);
    }
    if (options.tokens() > 0) {
      return budget(options.tokens(), outputMax, route.upstreamModel());
    }
    if (options.effort().isEmpty()) {
      return new Shown();
    }
    return switch (style(route)) {
      case ADAPTIVE -> new Level(level(options.effort(), route.upstreamModel()));
      case AUTO, BUDGET, NONE -> budget(tokens(options.effort()), outputMax, route.upstreamModel());
    };
  }

  /**
   * Returns a budget within the model's bounds; the default if the answer's bound leaves less than
   * the model's minimum.
   */
  private static GeminiThinking budget(long tokens, long outputMax, String model) {
    long share = outputMax == 0 ? Long.MAX_VALUE : (long) (outputMax * SHARE_MAX);
    long max = Math.min(share, GeminiVersion.budgetMax(model));
    long min = GeminiVersion.budgetMin(model);
    return max < min ? new ModelDefault() : new Budget(Math.clamp(tokens, min, max));
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

  default void writeTo(JsonWriter out) {
    switch (this) {
      case ModelDefault _ -> {}
      case Own own -> out.name("thinkingConfig").raw(own.json());
      case Shown _ -> begin(out).endObject();
      case Budget budget when budget.tokens() == 0 ->
          out.name("thinkingConfig").beginObject().name("thinkingBudget").number(0).endObject();
      case Budget budget -> begin(out).name("thinkingBudget").number(budget.tokens()).endObject();
      case Level level -> begin(out).name("thinkingLevel").string(level.name()).endObject();
    }
  }

  private static JsonWriter begin(JsonWriter out) {
    return out.name("thinkingConfig").beginObject().name("includeThoughts").bool(true);
  }
}
