package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;

/**
 * Estimates of token counts from byte counts, because no tokenizer runs on an event loop
 * (docs/decisions/money.md#reservations). Likely counts serve for usage that a provider did not
 * report, upper bounds for reservations.
 */
public final class TokenEstimate {
  private static final int BYTES_PER_TOKEN_LIKELY = 4;
  private static final int TOKENS_PER_MEDIA_PART = 1_500;
  // In base64: the most compressed speech has 3,000 bytes a second, and no model counts more than
  // 32 tokens for a second.
  private static final int BYTES_PER_AUDIO_TOKEN_LEAST = 125;
  // In base64: a document's text is deflated to a third.
  private static final int BYTES_PER_FILE_TOKEN_LEAST = 2;
  // If a model's bounds are unknown: more than any model writes, and its price fits a long.
  private static final int OUTPUT_TOKENS_MAX = 10_000_000;

  private TokenEstimate() {}

  /** Returns the likely tokens of an output of {@code textBytes}. */
  public static long likely(long textBytes) {
    return Math.ceilDiv(textBytes, BYTES_PER_TOKEN_LIKELY);
  }

  /**
   * Returns an upper bound for a prompt, capped by the model's context if known.
   *
   * @param mediaTokens sum of the bounds of its images, audio clips and files
   */
  public static long atMost(long textBytes, long mediaTokens, int contextLength) {
    long bound = textBytes + mediaTokens; // byte-level tokenizers can make a token of each byte
    return contextLength > 0 ? Math.min(bound, contextLength) : bound;
  }

  /** Returns an upper bound for an audio clip inside a body. */
  public static long audioAtMost(long sizeBytes) {
    return Math.max(TOKENS_PER_MEDIA_PART, sizeBytes / BYTES_PER_AUDIO_TOKEN_LEAST);
  }

  /** Returns an upper bound for a file inside a body. */
  public static long fileAtMost(long sizeBytes) {
    return Math.max(TOKENS_PER_MEDIA_PART, sizeBytes / BYTES_PER_FILE_TOKEN_LEAST);
  }

  /** Returns the most tokens that a model can write of the requested number. */
  public static long outputAtMost(long asked, Model model) {
    long max = model.outputTokensMax() > 0 ? model.outputTokensMax() : model.contextLengthMax();
    return Math.min(asked, max > 0 ? max : OUTPUT_TOKENS_MAX);
  }

  /**
   * Returns the output tokens of {@code events} pieces with {@code textBytes} in total: most
   * providers send one token per event, some send many.
   */
  public static long delivered(long events, long textBytes) {
    return Math.max(events, Math.ceilDiv(textBytes, BYTES_PER_TOKEN_LIKELY + 1));
  }

  /** Returns the output tokens of a text, given its likely tokens as a prompt. */
  static long deliveredOfPrompt(long tokensLikely) {
    return delivered(0, tokensLikely * BYTES_PER_TOKEN_LIKELY);
  }
}
