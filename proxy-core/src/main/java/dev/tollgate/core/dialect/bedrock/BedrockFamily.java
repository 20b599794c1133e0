package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.ResultParts;
import dev.tollgate.core.dialect.anthropic.ClaudeVersion;
import java.util.Set;

/**
 * Family of a Bedrock model, derived from its id, for parameters that have no common name in
 * Converse.
 */
enum BedrockFamily {
  CLAUDE("top_k"),
  NOVA("topK"),
  /** Nova 2 and later, which can be asked to reason. */
  NOVA_2("topK"),
  OPENAI(""),
  MISTRAL("top_k"),
  COHERE("k"),
  /** Unknown model behind an inference profile, whose ARN does not show it. */
  PROFILE(""),
  OTHER("");

  private static final Set<String> CLAUDES_RESULT =
      Set.of("text", "refusal", "image_url", "image", "file", "document");
  private static final Set<String> NOVAS_RESULT =
      Set.of("text", "refusal", "image_url", "image", "file", "document", "video_url");

  private final String topK;

  BedrockFamily(String topK) {
    this.topK = topK;
  }

  static BedrockFamily of(String model) {
    if (model.contains("anthropic.claude")) {
      return CLAUDE;
    }
    if (model.contains("amazon.nova-2")) {
      return NOVA_2;
    }
    if (model.contains("amazon.nova")) {
      return NOVA;
    }
    if (model.contains("openai.gpt-oss")) {
      return OPENAI;
    }
    if (model.contains("mistral.")) {
      return MISTRAL;
    }
    if (model.contains("cohere.command")) {
      return COHERE;
    }
    return model.startsWith("arn:") && !model.contains("foundation-model/") ? PROFILE : OTHER;
  }

  /** Returns the family's name of {@code top_k}; empty means it has none. */
  String topK() {
    return topK;
  }

  /** True if the model takes reasoning with signatures, which is Claude's. */
  boolean takesClaudesReasoning() {
    return switch (this) {
      case CLAUDE, PROFILE -> true;
      case NOVA, NOVA_2, OPENAI, MISTRAL, COHERE, OTHER -> false;
    };
  }

  /** Returns the types of parts that may be inside of a tool's result; the others refuse media. */
  Set<String> partsOfResults() {
    return switch (this) {
      case CLAUDE -> CLAUDES_RESULT;
      case NOVA, NOVA_2 -> NOVAS_RESULT;
      case OPENAI, MISTRAL, COHERE, PROFILE, OTHER -> ResultParts.TEXTS;
    };
  }

  /**
   * True if a model enforces schemas of answers and tools: models other than newer Claudes refuse
   * them, so their capabilities must be configured.
   */
  boolean enforcesSchemas(Route route, Model model) {
    return model.capabilities().isEmpty()
        ? this == CLAUDE && ClaudeVersion.takesSchemas(route.upstreamModel())
        : model.capabilities().contains("json_schema");
  }
}
