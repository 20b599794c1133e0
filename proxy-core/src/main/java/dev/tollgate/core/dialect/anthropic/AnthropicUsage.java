package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of Anthropic's usage object, whose {@code input_tokens} exclude tokens read from or
 * written to a cache. A prompt is therefore the sum of the three. Cache writes for an hour are
 * separate from those for minutes.
 */
public final class AnthropicUsage {
  public static final UsageFormat FORMAT = AnthropicUsage::read;

  private AnthropicUsage() {}

  static Usage read(UsageCounts usage) {
    long cached = usage.anyOf("cache_read_input_tokens");
    long written1h = usage.inside("cache_creation", "ephemeral_1h_input_tokens");
    long written5m = usage.inside("cache_creation", "ephemeral_5m_input_tokens");
    long written = Math.max(usage.anyOf("cache_creation_input_tokens"), written1h + written5m);
    return new Usage(
        usage.required("input_tokens") + cached + written,
        usage.required("output_tokens"),
        cached,
        written,
        written1h,
        0,
        usage.inside("output_tokens_details", "thinking_tokens"),
        0,
        0,
        false);
  }
}
