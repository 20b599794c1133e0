package dev.tollgate.core.money;

import java.util.List;

/**
 * The bounds of what a request can use, and the most that can cost: what admission reserves. No
 * usage within the bounds costs more, whatever its tokens turn out to be and whichever tier they
 * fall into.
 *
 * @param outputTokens completion and what is billed on top of it, together
 * @param audio whether tokens can be audio: its prices are many times those of text
 * @param quantities everything else, at most
 */
public record WorstCase(
    long promptTokens, long outputTokens, boolean audio, List<Quantity> quantities) {

  public WorstCase {
    quantities = List.copyOf(quantities);
  }

  /** The bounds of a request that uses tokens only. */
  public static WorstCase ofTokens(long promptTokens, long outputTokens, boolean audio) {
    return new WorstCase(promptTokens, outputTokens, audio, List.of());
  }

  /**
   * The most that this can cost. Not always at the longest prompt: a higher tier may be cheaper, so
   * each tier is taken at the longest prompt that it prices.
   */
  public MicroUsd cost(PriceList prices) {
    MicroUsd max = MicroUsd.ZERO;
    TokenPrices price = prices.tokens();
    for (PriceList.Tier next : prices.tiers()) {
      if (promptTokens <= next.abovePromptTokens()) {
        break;
      }
      max = larger(max, cost(next.abovePromptTokens(), price, prices));
      price = next.tokens();
    }
    return larger(max, cost(promptTokens, price, prices));
  }

  private MicroUsd cost(long prompt, TokenPrices price, PriceList prices) {
    PicoSum sum =
        new PicoSum()
            .add(1, prices.perRequest())
            .add(Math.max(0, prompt), price.maxInputPrice(audio))
            .add(Math.max(0, outputTokens), price.maxOutputPrice(audio));
    for (Quantity quantity : quantities) {
      if (quantity instanceof Quantity.Images images) {
        sum.add(Math.max(0, images.count()), prices.perImageMax(images));
      } else {
        Cost.add(sum, quantity, prices);
      }
    }
    return sum.rounded();
  }

  private static MicroUsd larger(MicroUsd one, MicroUsd other) {
    return one.compareTo(other) >= 0 ? one : other;
  }
}
