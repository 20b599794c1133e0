package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** OpenAI's terms where nothing is generated: all that is counted is input. */
final class EmbeddingUsage {
  private EmbeddingUsage() {}

  static Usage read(UsageCounts usage) {
    return Usage.ofTokens(usage.requiredOf("prompt_tokens", "total_tokens"), 0);
  }
}
