package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningOptions;
import dev.tollgate.core.dialect.anthropic.AnthropicThinking;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Optional;

/**
 * Reasoning setting of a chat request for a model behind Bedrock's Converse API, in the terms of
 * the model's vendor.
 */
sealed interface BedrockThinking {
  /** No reasoning is requested. */
  record Off() implements BedrockThinking {}

  record Claude(AnthropicThinking thinking) implements BedrockThinking {}

  /** Effort in OpenAI's terms. */
  record Effort(String level) implements BedrockThinking {}

  /** Effort in the terms of Amazon's Nova models. */
  record Nova(String level) implements BedrockThinking {}

  /**
   * Returns the form for a model; a request that has no form there is dropped.
   *
   * @param outputMax bound of the answer's tokens, reasoning included
   */
  static BedrockThinking of(
      JsonMembers chat,
      Route route,
      Model model,
      BedrockFamily family,
      long outputMax,
      DroppedFields dropped) {
    if (family == BedrockFamily.CLAUDE) {
      return new Claude(AnthropicThinking.of(chat, route, model, outputMax, dropped));
    }
    if (JsonReads.find(chat, "thinking") >= 0) {
      dropped.add("thinking"); // Claude's own member
    }
    Optional<ReasoningOptions> options = ReasoningOptions.of(chat).filter(one -> !one.isDisabled());
    if (options.isEmpty()) {
      return new Off();
    }
    return switch (family) {
      case OPENAI -> new Effort(level(options.get(), "high", dropped));
      case NOVA_2 ->
          new Nova(level(options.get(), hasConflictingLimits(chat) ? "medium" : "high", dropped));
      case NOVA, MISTRAL, COHERE, PROFILE, OTHER, CLAUDE -> {
        dropped.add(options.get().param());
        yield new Off();
      }
    };
  }

  /**
   * Returns the level of an effort.
   *
   * @param highest that the model takes; a higher effort is named
   */
  private static String level(ReasoningOptions options, String highest, DroppedFields dropped) {
    options.dropTokensUnless(0, dropped);
    options.dropAboveHigh(dropped);
    return switch (options.effort()) {
      case "minimal", "low" -> "low";
      case "high", "xhigh", "max" -> {
        if (!highest.equals("high")) {
          dropped.add(options.effortParam());
        }
        yield highest;
      }
      default -> "medium";
    };
  }

  /** True if the chat has parameters that Nova refuses beside a high effort. */
  private static boolean hasConflictingLimits(JsonMembers chat) {
    return JsonReads.find(chat, "temperature") >= 0
        || JsonReads.find(chat, "top_p") >= 0
        || JsonReads.find(chat, "max_tokens") >= 0
        || JsonReads.find(chat, "max_completion_tokens") >= 0;
  }

  /** True if the model requires a bound of its answer. */
  default boolean needsOutputMax() {
    return barsSampling();
  }

  /** True if the model accepts no sampling parameters beside this form. */
  default boolean barsSampling() {
    return this instanceof Claude claude && claude.thinking().thinks();
  }

  default void writeTo(JsonWriter out) {
    switch (this) {
      case Off _ -> {}
      case Claude claude -> {
        claude.thinking().writeTo(out);
        claude
            .thinking()
            .effort()
            .ifPresent(
                effort ->
                    out.name("output_config")
                        .beginObject()
                        .name("effort")
                        .string(effort)
                        .endObject());
      }
      case Effort effort -> out.name("reasoning_effort").string(effort.level());
      case Nova nova -> {
        out.name("reasoningConfig").beginObject().name("type").string("enabled");
        out.name("maxReasoningEffort").string(nova.level()).endObject();
      }
    }
  }
}
