package dev.tollgate.core.money;

/**
 * Tokens of one request, normalised to OpenAI's terms: {@code promptTokens} contain cached, cache
 * written and audio tokens, {@code completionTokens} contain reasoning and audio tokens.
 *
 * @param billedOnTop output tokens that the provider reports beside the completion instead of
 *     inside it (xAI's reasoning), billed as output and shown nowhere else (DECISIONS 8)
 * @param estimated whether we counted because the provider did not
 */
public record Usage(
    long promptTokens,
    long completionTokens,
    long cachedTokens,
    long cacheWriteTokens,
    long audioInputTokens,
    long reasoningTokens,
    long audioOutputTokens,
    long billedOnTop,
    boolean estimated) {
  public static final Usage ZERO = new Usage(0, 0, 0, 0, 0, 0, 0, 0, false);

  /** Our own count, where the provider gave none. */
  public static Usage estimate(long promptTokens, long completionTokens) {
    return new Usage(promptTokens, completionTokens, 0, 0, 0, 0, 0, 0, true);
  }

  /**
   * The count that a stream had reported when it broke off: at least what was delivered by then.
   */
  public Usage brokenOff(long deliveredTokens) {
    return new Usage(
        promptTokens,
        Math.max(completionTokens, deliveredTokens),
        cachedTokens,
        cacheWriteTokens,
        audioInputTokens,
        reasoningTokens,
        audioOutputTokens,
        billedOnTop,
        true);
  }

  public long totalTokens() {
    return promptTokens + completionTokens;
  }
}
