package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.util.Optional;

/**
 * Reads a provider's usage object in OpenAI's terms. Explicit zeros are values; a negative, broken
 * or absurd count makes the whole object unusable, and we estimate (streamfaults U64, U65).
 */
final class UsageReader {
  private static final long TOKENS_MAX = 100_000_000;
  private static final long INVALID = -1;

  private UsageReader() {}

  /**
   * @param contextLength counts above it cannot be true; 0: unknown
   */
  static Optional<Usage> read(JsonMembers usage, int contextLength) {
    long prompt = count(usage, "prompt_tokens", INVALID);
    long completion = count(usage, "completion_tokens", INVALID);
    if (prompt < 0 || completion < 0 || exceeds(contextLength, prompt, completion)) {
      return Optional.empty();
    }
    long cached =
        firstOf(
            inside(usage, "prompt_tokens_details", "cached_tokens"),
            count(usage, "prompt_cache_hit_tokens", 0),
            count(usage, "num_cached_tokens", 0),
            count(usage, "cached_tokens", 0),
            count(usage, "cache_read_input_tokens", 0));
    long written =
        firstOf(
            inside(usage, "prompt_tokens_details", "cache_write_tokens"),
            inside(usage, "prompt_tokens_details", "cache_creation_input_tokens"),
            inside(usage, "prompt_tokens_details", "cache_creation_tokens"),
            count(usage, "cache_creation_input_tokens", 0));
    long reasoning =
        firstOf(
            inside(usage, "completion_tokens_details", "reasoning_tokens"),
            count(usage, "reasoning_tokens", 0));
    return Optional.of(
        new Usage(
            prompt,
            completion,
            Math.min(cached, prompt),
            written,
            inside(usage, "prompt_tokens_details", "audio_tokens"),
            reasoning,
            inside(usage, "completion_tokens_details", "audio_tokens"),
            onTop(count(usage, "total_tokens", 0) - prompt - completion, reasoning),
            false));
  }

  private static boolean exceeds(int contextLength, long prompt, long completion) {
    return contextLength > 0 && (prompt > contextLength || completion > contextLength);
  }

  // xAI and Gemini's compatible endpoint: total = prompt + completion + reasoning (DECISIONS 8).
  private static long onTop(long surplus, long reasoning) {
    return surplus > 0 && surplus == reasoning ? reasoning : 0;
  }

  private static long firstOf(long... counts) {
    for (long count : counts) {
      if (count > 0) {
        return count;
      }
    }
    return 0;
  }

  private static long inside(JsonMembers usage, String object, String name) {
    int i = usage.indexOf(object);
    return i >= 0 && usage.kind(i) == JsonKind.OBJECT ? count(usage.object(i), name, 0) : 0;
  }

  private static long count(JsonMembers members, String name, long otherwise) {
    int i = members.indexOf(name);
    if (i < 0) {
      return otherwise;
    }
    long value = members.integer(i, INVALID);
    return value >= 0 && value <= TOKENS_MAX ? value : otherwise;
  }
}
