package dev.tollgate.core.money;

/**
 * Prices of tokens in pico-USD per token: a price in USD per million tokens with at most 6 decimals
 * is such an integer (DECISIONS 8). A price that the operator did not give is filled in on load:
 * cached and audio input cost as input, reasoning and audio output as output.
 */
public record TokenPrices(
    long input,
    long cachedInput,
    long cacheWrite,
    long audioInput,
    long output,
    long reasoning,
    long audioOutput) {
  public static final TokenPrices ZERO = new TokenPrices(0, 0, 0, 0, 0, 0, 0);

  /** Prices where only input and output are given. */
  public static TokenPrices of(long input, long output) {
    return new TokenPrices(input, input, input, input, output, output, output);
  }
}
