package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of a usage object in OpenAI's newer form, in which input includes cached tokens and output
 * includes reasoning.
 */
public final class ResponsesUsage {
  // The Responses API uses input_tokens_details, transcriptions input_token_details.
  private static final String[] INPUT = {"input_tokens_details", "input_token_details"};
  private static final String[] OUTPUT = {"output_tokens_details", "output_token_details"};

  public static final UsageFormat FORMAT = ResponsesUsage::read;

  private ResponsesUsage() {}

  static Usage read(UsageCounts usage) {
    long input = usage.required("input_tokens");
    return new Usage(
        input,
        usage.required("output_tokens"),
        Math.min(inside(usage, INPUT, "cached_tokens"), input),
        inside(usage, INPUT, "cache_write_tokens"),
        0,
        inside(usage, INPUT, "audio_tokens"),
        inside(usage, OUTPUT, "reasoning_tokens"),
        inside(usage, OUTPUT, "audio_tokens"),
        0,
        false);
  }

  private static long inside(UsageCounts usage, String[] objects, String name) {
    return Math.max(usage.inside(objects[0], name), usage.inside(objects[1], name));
  }
}
