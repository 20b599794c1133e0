package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/** Parser of OpenAI's usage object for embeddings, in which all tokens are input. */
public final class EmbeddingUsage {
  public static final UsageFormat FORMAT = EmbeddingUsage::read;

  private EmbeddingUsage() {}

  static Usage read(UsageCounts usage) {
    return Usage.ofTokens(usage.requiredOf("prompt_tokens", "total_tokens"), 0);
  }
}
