package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;

/**
 * Token counts from byte counts: no tokenizer runs on an event loop
 * (docs/decisions/money.md#reservations). Two kinds: what a text most likely is, for usage that a
 * provider did not report, and what it is at most, for reservations.
 */
public final class TokenEstimate {
  private static final int BYTES_PER_TOKEN_LIKELY = 4;
  private static final int TOKENS_PER_MEDIA_PART = 1_500;
  // In base64: the thinnest speech has 3,000 bytes a second, and no model hears 32 tokens in one.
  private static final int BYTES_PER_AUDIO_TOKEN_LEAST = 125;
  // In base64: a document's text is deflated to a third.
  private static final int BYTES_PER_FILE_TOKEN_LEAST = 2;
  // Where a model's bounds are unknown: more than any model writes, and its price fits a long.
  private static final int OUTPUT_TOKENS_MAX = 10_000_000;

  private TokenEstimate() {}

  /** The likely tokens of a prompt of {@code textBytes} and some images, audio clips or files. */
  public static long likely(long textBytes, int mediaParts) {
    return Math.ceilDiv(textBytes, BYTES_PER_TOKEN_LIKELY)
        + (long) mediaParts * TOKENS_PER_MEDIA_PART;
  }

  /**
   * An upper bound for a prompt, capped by the model's context where that is known.
   *
   * @param mediaTokens the bounds of its images, audio clips and files, summed
   */
  public static long atMost(long textBytes, long mediaTokens, int contextLength) {
    long bound = textBytes + mediaTokens; // byte-level tokenizers can make a token of each byte
    return contextLength > 0 ? Math.min(bound, contextLength) : bound;
  }

  /** An upper bound for an audio clip inside a body. */
  public static long audioAtMost(long sizeBytes) {
    return Math.max(TOKENS_PER_MEDIA_PART, sizeBytes / BYTES_PER_AUDIO_TOKEN_LEAST);
  }

  /** An upper bound for a file inside a body. */
  public static long fileAtMost(long sizeBytes) {
    return Math.max(TOKENS_PER_MEDIA_PART, sizeBytes / BYTES_PER_FILE_TOKEN_LEAST);
  }

  /** What a model can write at most of the tokens that were asked for, however many those are. */
  public static long outputAtMost(long asked, Model model) {
    long max = model.outputTokensMax() > 0 ? model.outputTokensMax() : model.contextLength();
    return Math.min(asked, max > 0 ? max : OUTPUT_TOKENS_MAX);
  }

  /**
   * Tokens of output that came as {@code events} pieces of {@code textBytes} together: providers
   * mostly send a token an event, some send many.
   */
  public static long delivered(long events, long textBytes) {
    return Math.max(events, Math.ceilDiv(textBytes, BYTES_PER_TOKEN_LIKELY + 1));
  }

  /** What is counted as delivered of a text that counts so much as a prompt. */
  static long deliveredOfPrompt(long tokensLikely) {
    return delivered(0, tokensLikely * BYTES_PER_TOKEN_LIKELY);
  }
}
