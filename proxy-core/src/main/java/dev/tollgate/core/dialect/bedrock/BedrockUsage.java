package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of Bedrock's usage object, whose {@code inputTokens} exclude tokens read from or written
 * to a cache. The total sometimes includes them and sometimes does not, so it is never used. A list
 * separates cache writes for an hour from those for minutes.
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
