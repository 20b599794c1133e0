package dev.tollgate.core.money;

/**
 * Usage × price, the one place that rounds: summed in pico-USD, half up to micro-USD once per
 * request, and at least 1 when something priced above zero was used (DECISIONS 8).
 */
public final class Cost {
  private static final long PICO_PER_MICRO = 1_000_000;

  private Cost() {}

  /** The charge for tokens and the per-request price. */
  public static MicroUsd ofTokens(Usage usage, PriceList prices) {
    return round(picoOfTokens(usage, prices.tokensFor(usage.promptTokens()), prices.perRequest()));
  }

  private static long picoOfTokens(Usage usage, TokenPrices price, long perRequest) {
    long prompt = usage.promptTokens();
    // Providers have reported more cached than prompt tokens: no part may exceed what is left.
    long cached = Math.min(usage.cachedTokens(), prompt);
    long written = Math.min(usage.cacheWriteTokens(), prompt - cached);
    long audioIn = Math.min(usage.audioInputTokens(), prompt - cached - written);
    long plainIn = prompt - cached - written - audioIn;

    long completion = usage.completionTokens();
    long audioOut = Math.min(usage.audioOutputTokens(), completion);
    long reasoningInside = usage.billedOnTop() > 0 ? 0 : usage.reasoningTokens();
    long reasoning = Math.min(reasoningInside, completion - audioOut);
    long plainOut = completion - audioOut - reasoning;

    long pico = perRequest;
    pico = add(pico, plainIn, price.input());
    pico = add(pico, cached, price.cachedInput());
    pico = add(pico, written, price.cacheWrite());
    pico = add(pico, audioIn, price.audioInput());
    pico = add(pico, plainOut, price.output());
    pico = add(pico, audioOut, price.audioOutput());
    pico = add(pico, reasoning, price.reasoning());
    return add(pico, usage.billedOnTop(), price.reasoning());
  }

  private static long add(long pico, long units, long perUnit) {
    return Math.addExact(pico, Math.multiplyExact(units, perUnit));
  }

  private static MicroUsd round(long pico) {
    if (pico == 0) {
      return MicroUsd.ZERO;
    }
    long micro = Math.addExact(pico, PICO_PER_MICRO / 2) / PICO_PER_MICRO;
    return new MicroUsd(Math.max(1, micro));
  }
}
