package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of Gemini's usage object, in which candidate tokens exclude reasoning. The prompt excludes
 * what tools added and includes cached tokens. A count of zero is omitted.
 */
public final class GeminiUsage {
  public static final UsageFormat FORMAT = GeminiUsage::read;

  private GeminiUsage() {}

  static Usage read(UsageCounts usage) {
    long prompt =
        usage.zeroIfAbsent("promptTokenCount") + usage.zeroIfAbsent("toolUsePromptTokenCount");
    long thoughts = usage.zeroIfAbsent("thoughtsTokenCount");
    return new Usage(
        prompt,
        usage.zeroIfAbsent("candidatesTokenCount") + thoughts,
        Math.min(usage.anyOf("cachedContentTokenCount"), prompt),
        0,
        0,
        usage.ofModality("promptTokensDetails", "AUDIO"),
        usage.ofModality("promptTokensDetails", "IMAGE"),
        thoughts,
        usage.ofModality("candidatesTokensDetails", "AUDIO"),
        0,
        false);
  }
}
