package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.dialect.UsageCounts;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.money.Usage;

/**
 * Parser of OpenAI's usage object for speech, which counts all output as audio, though no member
 * states that.
 */
public final class SpeechUsage {
  public static final UsageFormat FORMAT = SpeechUsage::read;

  private SpeechUsage() {}

  static Usage read(UsageCounts usage) {
    long output = usage.required("output_tokens");
    return new Usage(usage.required("input_tokens"), output, 0, 0, 0, 0, 0, output, 0, false);
  }
}
