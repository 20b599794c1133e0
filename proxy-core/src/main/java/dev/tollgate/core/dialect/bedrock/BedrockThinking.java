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

/** How a chat's wish for reasoning is put to a model behind Converse: in words of its maker. */
sealed interface BedrockThinking {
  /** It is not asked to. */
  record Off() implements BedrockThinking {}

  record Claude(AnthropicThinking thinking) implements BedrockThinking {}

  /** OpenAI's word. */
  record Effort(String level) implements BedrockThinking {}

  /** Nova's word. */
  record Nova(String level) implements BedrockThinking {}

  /**
   * What a chat's wish comes to at a model; one that comes to nothing is dropped.
   *
   * @param outputMax tokens of the answer, those of thoughts included
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
      dropped.add("thinking"); // Claude's own word
    }
    Optional<ReasoningOptions> options = ReasoningOptions.of(chat).filter(one -> !one.isDisabled());
    if (options.isEmpty()) {
      return new Off();
    }
    return switch (family) {
      case OPENAI -> new Effort(level(options.get()));
      case NOVA_2 -> new Nova(hasConflictingLimits(chat) ? "medium" : level(options.get()));
      case NOVA, MISTRAL, COHERE, PROFILE, OTHER, CLAUDE -> {
        dropped.add(options.get().param());
        yield new Off();
      }
    };
  }

  private static String level(ReasoningOptions options) {
    return switch (options.effort()) {
      case "minimal", "low" -> "low";
      case "high", "xhigh", "max" -> "high";
      default -> "medium";
    };
  }

  /** Nova takes none of these beside a high effort. */
  private static boolean hasConflictingLimits(JsonMembers chat) {
    return JsonReads.find(chat, "temperature") >= 0
        || JsonReads.find(chat, "top_p") >= 0
        || JsonReads.find(chat, "max_tokens") >= 0
        || JsonReads.find(chat, "max_completion_tokens") >= 0;
  }

  /** Whether the model must be told how long its answer may be. */
  default boolean needsOutputMax() {
    return barsSampling();
  }

  /** Whether it takes no temperature and its like beside it. */
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
