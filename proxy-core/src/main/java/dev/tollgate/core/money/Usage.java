package dev.tollgate.core.money;

/**
 * Token counts of one request by kind, normalised to OpenAI's terms. The {@code promptTokens}
 * contain cached, cache written, audio and image tokens, the {@code completionTokens} contain
 * reasoning and audio tokens. Counts are never negative, and small enough for their sums.
 *
 * @param cacheWriteTokens prompt tokens written to a cache, for any lifetime
 * @param cacheWrite1hTokens part of these that is written for an hour instead of minutes
 * @param imageInputTokens image tokens of the prompt: counted separately only if they may have a
 *     price of their own
 * @param billedOnTop output tokens that the provider reports beside the completion instead of
 *     inside it (xAI's reasoning), billed as output and not part of any other count
 *     (docs/decisions/money.md#usage)
 * @param estimated true if the gateway counted, because the provider did not
 * @param reportedCost what the provider reports that the request costs the operator, in micro-USD;
 *     0 if it reports nothing. It never changes the charge (docs/decisions/money.md#operator-cost)
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
    boolean estimated,
    long reportedCost) {
  /** No usage, and not estimated. */
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
    reportedCost = clampCount(reportedCost);
  }

  /** Creates usage without a reported cost. */
  public Usage(
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
    this(
        promptTokens,
        completionTokens,
        cachedTokens,
        cacheWriteTokens,
        cacheWrite1hTokens,
        audioInputTokens,
        imageInputTokens,
        reasoningTokens,
        audioOutputTokens,
        billedOnTop,
        estimated,
        0);
  }

  /** Creates usage in which no image has a price of its own. */
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

  /** Returns a provider's count of prompt and completion only. */
  public static Usage ofTokens(long promptTokens, long completionTokens) {
    return new Usage(promptTokens, completionTokens, 0, 0, 0, 0, 0, 0, 0, false);
  }

  /** Returns the gateway's own count, for a provider that reports none. */
  public static Usage estimate(long promptTokens, long completionTokens) {
    return new Usage(promptTokens, completionTokens, 0, 0, 0, 0, 0, 0, 0, true);
  }

  /** Returns the count that an interrupted stream had reported, at least what was delivered. */
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
        true,
        reportedCost);
  }

  /** Returns these counts with the cost that the provider reported, in micro-USD. */
  public Usage withReportedCost(long costMicro) {
    return costMicro == reportedCost
        ? this
        : new Usage(
            promptTokens,
            completionTokens,
            cachedTokens,
            cacheWriteTokens,
            cacheWrite1hTokens,
            audioInputTokens,
            imageInputTokens,
            reasoningTokens,
            audioOutputTokens,
            billedOnTop,
            estimated,
            costMicro);
  }

  /** Returns the sum of two providers' counts for one request. */
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
        estimated || other.estimated,
        reportedCost + other.reportedCost);
  }

  /** Returns the total that clients receive. */
  public long totalTokens() {
    return promptTokens + completionTokens;
  }

  /** Returns all tokens that the provider computed, which limits count. */
  public long computedTokens() {
    return totalTokens() + billedOnTop;
  }

  private static long clampCount(long count) {
    return Math.clamp(count, 0, COUNT_MAX);
  }
}
