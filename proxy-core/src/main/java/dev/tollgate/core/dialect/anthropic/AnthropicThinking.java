package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Thinking;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningOptions;
import dev.tollgate.core.dialect.ToolChoice;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Optional;

/**
 * Anthropic's reasoning setting for a chat request, derived from the options that the client sent.
 */
public sealed interface AnthropicThinking {
  /** No reasoning is requested. */
  record Off() implements AnthropicThinking {}

  /** Reasoning setting that the client sent in Anthropic's own member. */
  record Own(JsonBytes json, boolean thinks) implements AnthropicThinking {}

  record Budget(long tokens) implements AnthropicThinking {}

  /**
   * Setting with which the model decides how much it reasons.
   *
   * @param effort in Anthropic's terms; empty means its default
   */
  record Adaptive(Optional<String> effort) implements AnthropicThinking {}

  /** Returns the share of the output that may be reasoning. */
  private static double share(ReasoningOptions options) {
    return switch (options.effort()) {
      case "minimal", "low" -> 0.2;
      case "high" -> 0.8;
      case "xhigh", "max" -> 0.95;
      default -> 0.5;
    };
  }

  private static Optional<String> effortLevel(ReasoningOptions options) {
    return switch (options.effort()) {
      case "minimal", "low" -> Optional.of("low");
      case "medium", "high", "max" -> Optional.of(options.effort());
      case "xhigh" -> Optional.of("max");
      default -> Optional.empty();
    };
  }

  long BUDGET_MIN = 1_024;
  long BUDGET_MAX = 32_000;

  /**
   * Returns the form for a model; a request that has no form there is dropped.
   *
   * @param outputMax bound of the answer's tokens, reasoning included
   */
  static AnthropicThinking of(
      JsonMembers chat, Route route, Model model, long outputMax, DroppedFields dropped) {
    int own = JsonReads.find(chat, "thinking", JsonKind.OBJECT);
    if (own >= 0) {
      boolean thinks = !JsonReads.isString(chat.object(own), "type", "disabled");
      return new Own(JsonBytes.of(chat, own), thinks);
    }
    Optional<ReasoningOptions> options = ReasoningOptions.of(chat).filter(one -> !one.isDisabled());
    if (options.isEmpty()) {
      return new Off();
    }
    AnthropicThinking chosen = choose(options.get(), chat, route, model, outputMax);
    switch (chosen) {
      case Off _ -> dropped.add(options.get().param());
      case Budget budget -> options.get().dropTokensUnless(budget.tokens(), dropped);
      case Adaptive _ -> options.get().dropTokensUnless(0, dropped);
      case Own _ -> {}
    }
    return chosen;
  }

  private static AnthropicThinking choose(
      ReasoningOptions options, JsonMembers chat, Route route, Model model, long outputMax) {
    if (!model.mayHave("reasoning") || ToolChoice.of(chat).isForced()) {
      return new Off(); // a model that must call a tool may not reason first
    }
    return switch (style(route)) {
      case NONE -> new Off();
      case ADAPTIVE -> new Adaptive(effortLevel(options));
      case BUDGET, AUTO ->
          isMidToolUseWithoutReasoning(chat) ? new Off() : budget(options, outputMax);
    };
  }

  private static Thinking style(Route route) {
    Thinking configured = route.provider().quirks().thinking();
    return configured != Thinking.AUTO
        ? configured
        : ClaudeVersion.isAdaptive(route.upstreamModel()) ? Thinking.ADAPTIVE : Thinking.BUDGET;
  }

  private static AnthropicThinking budget(ReasoningOptions options, long outputMax) {
    long max = Math.min(outputMax - 1, BUDGET_MAX);
    long tokens = options.tokens() > 0 ? options.tokens() : (long) (outputMax * share(options));
    return max < BUDGET_MIN ? new Off() : new Budget(Math.clamp(tokens, BUDGET_MIN, max));
  }

  /**
   * True if the last answer called tools and its reasoning was not sent back: with a budget,
   * Anthropic does not continue such an answer.
   */
  private static boolean isMidToolUseWithoutReasoning(JsonMembers chat) {
    JsonElements messages = chat.array(chat.indexOf("messages"));
    for (int k = messages.size() - 1; k >= 0; k--) {
      JsonMembers message = messages.object(k);
      if (!JsonReads.isString(message, "role", "tool")) {
        return k < messages.size() - 1
            && JsonReads.isString(message, "role", "assistant")
            && !AnthropicReasoning.isPresentIn(message);
      }
    }
    return false;
  }

  /** True if an answer begins with reasoning, which excludes other parameters. */
  default boolean thinks() {
    return switch (this) {
      case Off _ -> false;
      case Own own -> own.thinks();
      case Budget _, Adaptive _ -> true;
    };
  }

  default void writeTo(JsonWriter out) {
    switch (this) {
      case Off _ -> {}
      case Own own -> out.name("thinking").raw(own.json());
      case Budget budget ->
          out.name("thinking")
              .beginObject()
              .name("type")
              .string("enabled")
              .name("budget_tokens")
              .number(budget.tokens())
              .endObject();
      // Newer models show their reasoning only on request.
      case Adaptive _ ->
          out.name("thinking")
              .beginObject()
              .name("type")
              .string("adaptive")
              .name("display")
              .string("summarized")
              .endObject();
    }
  }

  /** Returns the effort for {@code output_config}. */
  default Optional<String> effort() {
    return switch (this) {
      case Off _, Own _, Budget _ -> Optional.empty();
      case Adaptive adaptive -> adaptive.effort();
    };
  }
}
