package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** OpenAI's newer terms, and Mistral's, which count what is heard beside the prompt. */
final class TranscriptionUsage {
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
