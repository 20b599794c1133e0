package dev.tollgate.core.money;

/**
 * Prices of a model's tokens by kind, in pico-USD per token. Every price in USD per million tokens
 * with at most 6 decimals is an integer in this unit (docs/decisions/money.md#rounding). Prices
 * that the operator did not configure get defaults on load: cached, cache written, audio and image
 * input cost as input, writes for an hour as other writes, reasoning and audio output as output.
 */
public record TokenPrices(
    long input,
    long cachedInput,
    long cacheWrite,
    long cacheWrite1h,
    long audioInput,
    long imageInput,
    long output,
    long reasoning,
    long audioOutput) {
  public static final TokenPrices ZERO = of(0, 0);

  public TokenPrices {
    long signs = input | cachedInput | cacheWrite | cacheWrite1h | audioInput | imageInput;
    if ((signs | output | reasoning | audioOutput) < 0) {
      throw new IllegalArgumentException("a price below zero");
    }
  }

  /** Creates prices in which images cost as much as other input. */
  public TokenPrices(
      long input,
      long cachedInput,
      long cacheWrite,
      long cacheWrite1h,
      long audioInput,
      long output,
      long reasoning,
      long audioOutput) {
    this(
        input,
        cachedInput,
        cacheWrite,
        cacheWrite1h,
        audioInput,
        input,
        output,
        reasoning,
        audioOutput);
  }

  /** Returns prices of which only those of input and output are given. */
  public static TokenPrices of(long input, long output) {
    return new TokenPrices(input, input, input, input, input, input, output, output, output);
  }

  /** Returns the highest price of one prompt token. */
  long maxInputPrice(boolean withAudio) {
    long written = Math.max(cacheWrite, cacheWrite1h);
    long read = Math.max(Math.max(input, cachedInput), imageInput);
    long text = Math.max(read, written);
    return withAudio ? Math.max(text, audioInput) : text;
  }

  /** Returns the highest price of one output token. */
  long maxOutputPrice(boolean withAudio) {
    long text = Math.max(output, reasoning);
    return withAudio ? Math.max(text, audioOutput) : text;
  }
}
