package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Bedrock's terms: {@code inputTokens} exclude what was read from or written to a cache. Its total
 * sometimes includes them and sometimes does not, so it is never used. Writes for an hour are told
 * from those for minutes by a list.
 */
public final class BedrockUsage {
  public static final UsageFormat FORMAT = BedrockUsage::read;

  private BedrockUsage() {}

  static Usage read(UsageCounts usage) {
    long cached = usage.anyOf("cacheReadInputTokens", "cacheReadInputTokenCount");
    long written = usage.anyOf("cacheWriteInputTokens", "cacheWriteInputTokenCount");
    return new Usage(
        usage.required("inputTokens") + cached + written,
        usage.required("outputTokens"),
        cached,
        written,
        Math.min(usage.sum("cacheDetails", "ttl", "1h", "inputTokens"), written),
        0,
        0,
        0,
        0,
        false);
  }
}
