package dev.tollgate.core.dialect.registry;

import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.anthropic.AnthropicDialect;
import dev.tollgate.core.dialect.bedrock.BedrockDialect;
import dev.tollgate.core.dialect.cohere.CohereDialect;
import dev.tollgate.core.dialect.gemini.GeminiDialect;
import dev.tollgate.core.dialect.gemini.VertexDialect;
import dev.tollgate.core.dialect.ollama.OllamaDialect;
import dev.tollgate.core.dialect.openai.AzureDialect;
import dev.tollgate.core.dialect.openai.OpenAiDialect;

/** Registry that maps the type name in a provider's configuration to its dialect. */
public final class Dialects {
  private Dialects() {}

  /** Returns the dialect of a type name; the settings loader has refused unknown ones. */
  public static Dialect named(String name) {
    return switch (name) {
      case "openai", "mock" -> OpenAiDialect.INSTANCE;
      case "azure" -> AzureDialect.INSTANCE;
      case "anthropic" -> AnthropicDialect.INSTANCE;
      case "ollama" -> OllamaDialect.INSTANCE;
      case "cohere" -> CohereDialect.INSTANCE;
      case "gemini" -> GeminiDialect.INSTANCE;
      case "bedrock" -> BedrockDialect.INSTANCE;
      case "vertex" -> VertexDialect.GEMINI;
      case "vertex-anthropic" -> VertexDialect.ANTHROPIC;
      default -> throw new IllegalArgumentException("no dialect " + name);
    };
  }
}
