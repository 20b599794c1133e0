package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** Ollama's terms. Some leave out a prompt that was in the cache, which is no zero. */
final class OllamaUsage {
  private OllamaUsage() {}

  static Usage read(UsageCounts usage) {
    return Usage.ofTokens(usage.required("prompt_eval_count"), usage.required("eval_count"));
  }
}
