package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** OpenAI's newer terms, and Mistral's, which count what is heard beside the prompt. */
final class TranscriptionUsage {
  private TranscriptionUsage() {}

  static Usage read(UsageCounts usage) {
    long prompt = usage.requiredOf("input_tokens", "prompt_tokens");
    long written = usage.requiredOf("output_tokens", "completion_tokens");
    long heard =
        Math.max(
            usage.inside("input_token_details", "audio_tokens"),
            usage.inside("prompt_tokens_details", "audio_tokens"));
    boolean isBeside = heard > 0 && usage.anyOf("total_tokens") == prompt + written + heard;
    return new Usage(isBeside ? prompt + heard : prompt, written, 0, 0, 0, heard, 0, 0, 0, false);
  }
}
