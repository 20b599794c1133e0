package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/** Ollama's terms. Some leave out a prompt that was in the cache, which is no zero. */
public final class OllamaUsage {
  public static final UsageFormat FORMAT = OllamaUsage::read;

  private OllamaUsage() {}

  static Usage read(UsageCounts usage) {
    return Usage.ofTokens(usage.required("prompt_eval_count"), usage.required("eval_count"));
  }
}
