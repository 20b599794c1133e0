package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** OpenAI's newer terms where images are made, and the older ones that others count them in. */
final class ImageUsage {
  private ImageUsage() {}

  static Usage read(UsageCounts usage) {
    return Usage.ofTokens(
        usage.requiredOf("input_tokens", "prompt_tokens"),
        usage.requiredOf("output_tokens", "completion_tokens"));
  }
}
