package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** OpenAI's newer terms where images are made, and the older ones that others count them in. */
final class ImageUsage {
  private ImageUsage() {}

  static Usage read(UsageCounts usage) {
    long images = usage.inside("input_tokens_details", "image_tokens");
    return new Usage(
        usage.requiredOf("input_tokens", "prompt_tokens"),
        usage.requiredOf("output_tokens", "completion_tokens"),
        0,
        0,
        0,
        0,
        images > 0 ? images : usage.inside("prompt_tokens_details", "image_tokens"),
        0,
        0,
        0,
        false);
  }
}
