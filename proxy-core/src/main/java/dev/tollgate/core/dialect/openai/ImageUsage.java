package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of the usage object of image replies, in OpenAI's newer form or in the older one of other
 * servers.
 */
public final class ImageUsage {
  public static final UsageFormat FORMAT = ImageUsage::read;

  private ImageUsage() {}

  static Usage read(UsageCounts usage) {
    long prompt = usage.requiredOf("input_tokens", "prompt_tokens");
    return new Usage(
        prompt,
        usage.requiredOf("output_tokens", "completion_tokens"),
        Math.min(read(usage, "cached_tokens"), prompt),
        0,
        0,
        0,
        read(usage, "image_tokens"),
        written(usage, "reasoning_tokens"),
        0,
        0,
        false);
  }

  private static long read(UsageCounts usage, String name) {
    long count = usage.inside("input_tokens_details", name);
    return count > 0 ? count : usage.inside("prompt_tokens_details", name);
  }

  private static long written(UsageCounts usage, String name) {
    long count = usage.inside("output_tokens_details", name);
    return count > 0 ? count : usage.inside("completion_tokens_details", name);
  }
}
