package dev.tollgate.core.money;

/**
 * Tokens of one request, normalised to OpenAI's terms: {@code promptTokens} contain cached, cache
 * written, audio and image tokens, {@code completionTokens} contain reasoning and audio tokens.
 * Counts are never negative, and small enough for their sums.
 *
 * @param cacheWriteTokens written to a cache, for whatever time
 * @param cacheWrite1hTokens of these, written for an hour instead of minutes
 * @param imageInputTokens of the prompt, images: told apart only where they may have a price
 * @param billedOnTop output tokens that the provider reports beside the completion instead of
 *     inside it (xAI's reasoning), billed as output and shown nowhere else
 *     (docs/decisions/money.md#usage)
 * @param estimated whether we counted because the provider did not
 */
public record Usage(
    long promptTokens,
    long completionTokens,
    long cachedTokens,
    long cacheWriteTokens,
    long cacheWrite1hTokens,
    long audioInputTokens,
    long imageInputTokens,
    long reasoningTokens,
    long audioOutputTokens,
    long billedOnTop,
    boolean estimated) {
  /** Nothing used, and known to be nothing. */
  public static final Usage ZERO = ofTokens(0, 0);

  private static final long COUNT_MAX = 1_000_000_000_000_000L;

  public Usage {
    promptTokens = clampCount(promptTokens);
    completionTokens = clampCount(completionTokens);
    cachedTokens = clampCount(cachedTokens);
    cacheWriteTokens = clampCount(cacheWriteTokens);
    cacheWrite1hTokens = clampCount(cacheWrite1hTokens);
    audioInputTokens = clampCount(audioInputTokens);
    imageInputTokens = clampCount(imageInputTokens);
    reasoningTokens = clampCount(reasoningTokens);
    audioOutputTokens = clampCount(audioOutputTokens);
    billedOnTop = clampCount(billedOnTop);
  }

  /** Where no image has a price of its own. */
  public Usage(
      long promptTokens,
      long completionTokens,
      long cachedTokens,
      long cacheWriteTokens,
      long cacheWrite1hTokens,
      long audioInputTokens,
      long reasoningTokens,
      long audioOutputTokens,
      long billedOnTop,
      boolean estimated) {
    this(
        promptTokens,
        completionTokens,
        cachedTokens,
        cacheWriteTokens,
        cacheWrite1hTokens,
        audioInputTokens,
        0,
        reasoningTokens,
        audioOutputTokens,
        billedOnTop,
        estimated);
  }

  /** A provider's count of nothing but prompt and completion. */
  public static Usage ofTokens(long promptTokens, long completionTokens) {
    return new Usage(promptTokens, completionTokens, 0, 0, 0, 0, 0, 0, 0, false);
  }

  /** Our own count, where the provider gave none. */
  public static Usage estimate(long promptTokens, long completionTokens) {
    return new Usage(promptTokens, completionTokens, 0, 0, 0, 0, 0, 0, 0, true);
  }

  /**
   * The count that a stream had reported when it broke off: at least what was delivered by then.
   */
  public Usage interrupted(long deliveredTokens) {
    return new Usage(
        promptTokens,
        Math.max(completionTokens, deliveredTokens),
        cachedTokens,
        cacheWriteTokens,
        cacheWrite1hTokens,
        audioInputTokens,
        imageInputTokens,
        reasoningTokens,
        audioOutputTokens,
        billedOnTop,
        true);
  }

  /** The sum of what two providers count of one request. */
  public Usage plus(Usage other) {
    return new Usage(
        promptTokens + other.promptTokens,
        completionTokens + other.completionTokens,
        cachedTokens + other.cachedTokens,
        cacheWriteTokens + other.cacheWriteTokens,
        cacheWrite1hTokens + other.cacheWrite1hTokens,
        audioInputTokens + other.audioInputTokens,
        imageInputTokens + other.imageInputTokens,
        reasoningTokens + other.reasoningTokens,
        audioOutputTokens + other.audioOutputTokens,
        billedOnTop + other.billedOnTop,
        estimated || other.estimated);
  }

  /** What clients are shown as the total. */
  public long totalTokens() {
    return promptTokens + completionTokens;
  }

  /** All that the provider computed, which is what limits count. */
  public long computedTokens() {
    return totalTokens() + billedOnTop;
  }

  private static long clampCount(long count) {
    return Math.clamp(count, 0, COUNT_MAX);
  }
}
