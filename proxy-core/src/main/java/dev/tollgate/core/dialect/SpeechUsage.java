package dev.tollgate.core.dialect;

import dev.tollgate.core.money.Usage;

/** OpenAI's newer terms where text is spoken: what is generated is audio, and nobody says so. */
final class SpeechUsage {
  private SpeechUsage() {}

  static Usage read(UsageCounts usage) {
    long output = usage.required("output_tokens");
    return new Usage(usage.required("input_tokens"), output, 0, 0, 0, 0, 0, output, 0, false);
  }
}
