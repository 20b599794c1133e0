package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.util.Optional;

/**
 * In which terms a provider counts tokens: each reads a usage object of its kind and says the same
 * in OpenAI's terms (docs/decisions/money.md#usage).
 */
public enum UsageFormat {
  /** Chat completions and completions of OpenAI and everything compatible. */
  OPENAI,
  /** Embeddings of the same. */
  OPENAI_EMBEDDINGS,
  /** OpenAI's Responses: input and output instead of prompt. */
  OPENAI_RESPONSES,
  /** OpenAI's transcriptions, and Mistral's. */
  OPENAI_TRANSCRIPTIONS,
  /** OpenAI's images, and those of others that count as for a chat. */
  OPENAI_IMAGES,
  /** OpenAI's speech: all that is generated is audio. */
  OPENAI_SPEECH,
  /** Anthropic's messages, at Bedrock and Vertex too. */
  ANTHROPIC,
  /** Gemini's generateContent, at Vertex too. */
  GEMINI,
  /** Bedrock's converse, and Amazon's own models. */
  BEDROCK,
  /** Cohere's chat, version 2. */
  COHERE,
  /** Ollama's own chat. */
  OLLAMA;

  /**
   * Explicit zeros are values; a negative, broken or absurd count of prompt or completion makes the
   * whole object unusable, and we estimate.
   *
   * @param contextLength counts above it cannot be true; 0: unknown
   */
  public Optional<Usage> read(JsonMembers usage, int contextLength) {
    var counts = new UsageCounts(usage);
    Usage read = read(counts);
    return counts.isSound() && fits(read, contextLength) ? Optional.of(read) : Optional.empty();
  }

  private Usage read(UsageCounts counts) {
    return switch (this) {
      case OPENAI -> OpenAiUsage.read(counts);
      case OPENAI_EMBEDDINGS -> EmbeddingUsage.read(counts);
      case OPENAI_RESPONSES -> ResponsesUsage.read(counts);
      case OPENAI_TRANSCRIPTIONS -> TranscriptionUsage.read(counts);
      case OPENAI_IMAGES -> ImageUsage.read(counts);
      case OPENAI_SPEECH -> SpeechUsage.read(counts);
      case ANTHROPIC -> AnthropicUsage.read(counts);
      case GEMINI -> GeminiUsage.read(counts);
      case BEDROCK -> BedrockUsage.read(counts);
      case COHERE -> CohereUsage.read(counts);
      case OLLAMA -> OllamaUsage.read(counts);
    };
  }

  private static boolean fits(Usage usage, int contextLength) {
    return contextLength == 0
        || (usage.promptTokens() <= contextLength && usage.completionTokens() <= contextLength);
  }
}
