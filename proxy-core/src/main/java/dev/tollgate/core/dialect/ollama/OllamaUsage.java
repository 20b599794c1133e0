package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of the token counts in Ollama's replies. Some servers omit the count of a cached prompt,
 * which does not mean zero.
 */
public final class OllamaUsage {
  public static final UsageFormat FORMAT = OllamaUsage::read;

  private OllamaUsage() {}

  static Usage read(UsageCounts usage) {
    return Usage.ofTokens(usage.required("prompt_eval_count"), usage.required("eval_count"));
  }
}
