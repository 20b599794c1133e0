package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of Cohere's usage object, whose {@code tokens} count all that the model read and wrote,
 * Cohere's own prompt included.
 */
public final class CohereUsage {
  public static final UsageFormat FORMAT = CohereUsage::read;

  private CohereUsage() {}

  static Usage read(UsageCounts usage) {
    long input = usage.requiredInside("tokens", "input_tokens");
    long output = usage.requiredInside("tokens", "output_tokens");
    return new Usage(
        input,
        output,
        Math.min(usage.anyOf("cached_tokens"), input),
        0,
        0,
        0,
        Math.min(usage.inside("tokens", "reasoning_tokens"), output),
        0,
        0,
        false);
  }
}
