package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.money.Usage;
import java.util.Set;

/**
 * Converts a provider's token usage object to OpenAI's {@code usage} member. Members beside the
 * counts are kept under the provider's names, unless OpenAI uses the same name.
 */
public final class CanonicalUsage {
  private static final Set<String> OURS =
      Set.of(
          "prompt_tokens",
          "completion_tokens",
          "total_tokens",
          "prompt_tokens_details",
          "completion_tokens_details");

  /** Anthropic's member for tokens written to a cache, by time to live. */
  private static final String WRITTEN = "cache_creation";

  private CanonicalUsage() {}

  /** Writes the member {@code usage}, unless the provider's object is unusable. */
  public static void write(UsageFormat format, JsonMembers reported, JsonWriter out) {
    format.read(reported, 0).ifPresent(usage -> write(usage, reported, out.name("usage")));
  }

  /** Writes the counts, and the other members that the provider reported. */
  public static void write(Usage usage, JsonMembers reported, JsonWriter out) {
    out.beginObject();
    out.name("prompt_tokens").number(usage.promptTokens());
    out.name("completion_tokens").number(usage.completionTokens());
    out.name("total_tokens").number(usage.promptTokens() + usage.completionTokens());
    out.name("prompt_tokens_details").beginObject();
    out.name("cached_tokens").number(usage.cachedTokens());
    if (usage.cacheWriteTokens() > 0) {
      out.name("cache_write_tokens").number(usage.cacheWriteTokens());
    }
    if (usage.audioInputTokens() > 0) {
      out.name("audio_tokens").number(usage.audioInputTokens());
    }
    if (usage.imageInputTokens() > 0) {
      out.name("image_tokens").number(usage.imageInputTokens());
    }
    out.endObject();
    completion(usage, out);
    if (usage.cacheWrite1hTokens() > 0 && reported.indexOf(WRITTEN) < 0) {
      out.name(WRITTEN).beginObject().name("ephemeral_1h_input_tokens");
      out.number(usage.cacheWrite1hTokens()).endObject();
    }
    for (int i = 0; i < reported.size(); i++) {
      String name = reported.name(i);
      if (reported.kind(i) != JsonKind.NULL && !OURS.contains(name)) {
        out.name(name).raw(JsonBytes.normalized(reported, i));
      }
    }
    out.endObject();
  }

  private static void completion(Usage usage, JsonWriter out) {
    if (usage.reasoningTokens() == 0 && usage.audioOutputTokens() == 0) {
      return;
    }
    out.name("completion_tokens_details").beginObject();
    out.name("reasoning_tokens").number(usage.reasoningTokens());
    if (usage.audioOutputTokens() > 0) {
      out.name("audio_tokens").number(usage.audioOutputTokens());
    }
    out.endObject();
  }
}
