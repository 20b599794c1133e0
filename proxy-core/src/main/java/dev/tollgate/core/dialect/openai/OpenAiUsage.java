package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of OpenAI's usage object, including the members in which compatible providers report
 * details.
 */
public final class OpenAiUsage {
  public static final UsageFormat FORMAT = OpenAiUsage::read;

  private OpenAiUsage() {}

  static Usage read(UsageCounts usage) {
    long prompt = usage.required("prompt_tokens");
    long completion = usage.required("completion_tokens");
    long cached =
        firstOf(
            usage.inside("prompt_tokens_details", "cached_tokens"),
            usage.anyOf(
                "prompt_cache_hit_tokens",
                "num_cached_tokens",
                "cached_tokens",
                "cache_read_input_tokens"));
    long written =
        firstOf(
            usage.inside(
                "prompt_tokens_details",
                "cache_write_tokens",
                "cache_creation_input_tokens",
                "cache_creation_tokens"),
            usage.anyOf("cache_creation_input_tokens"));
    long reasoning =
        firstOf(
            usage.inside("completion_tokens_details", "reasoning_tokens"),
            usage.anyOf("reasoning_tokens"));
    return new Usage(
        prompt,
        completion,
        Math.min(cached, prompt),
        written,
        Math.min(usage.inside("cache_creation", "ephemeral_1h_input_tokens"), written),
        usage.inside("prompt_tokens_details", "audio_tokens"),
        reasoning,
        usage.inside("completion_tokens_details", "audio_tokens"),
        onTop(usage.anyOf("total_tokens") - prompt - completion, reasoning),
        false);
  }

  // xAI and Gemini's compatible endpoint: total = prompt + completion + reasoning
  // (docs/decisions/money.md#usage).
  private static long onTop(long surplus, long reasoning) {
    return surplus > 0 && surplus == reasoning ? reasoning : 0;
  }

  private static long firstOf(long one, long other) {
    return one > 0 ? one : other;
  }
}
