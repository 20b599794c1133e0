package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of the usage object for transcriptions, in OpenAI's form or Mistral's, which counts the
 * audio apart from the prompt.
 */
public final class TranscriptionUsage {
  public static final UsageFormat FORMAT = TranscriptionUsage::read;

  private TranscriptionUsage() {}

  static Usage read(UsageCounts usage) {
    long prompt = usage.requiredOf("input_tokens", "prompt_tokens");
    long written = usage.requiredOf("output_tokens", "completion_tokens");
    long audioTokens =
        Math.max(
            usage.inside("input_token_details", "audio_tokens"),
            usage.inside("prompt_tokens_details", "audio_tokens"));
    boolean isBeside =
        audioTokens > 0 && usage.anyOf("total_tokens") == prompt + written + audioTokens;
    return new Usage(
        isBeside ? prompt + audioTokens : prompt, written, 0, 0, 0, audioTokens, 0, 0, 0, false);
  }
}
