package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** Ollama's terms: a prompt that was in its cache is not counted at all. */
final class OllamaUsage {
  private OllamaUsage() {}

  static Usage read(UsageCounts usage) {
    return Usage.ofTokens(usage.zeroIfAbsent("prompt_eval_count"), usage.required("eval_count"));
  }
}
