package dev.tollgate.core.money;

import java.util.List;

/**
 * Upper bounds of an inference request's usage, and their cost, which admission reserves. No usage
 * within the bounds costs more, whatever the kinds and the tier of its tokens.
 *
 * @param outputTokens completion tokens and those billed on top of them, together
 * @param audio true if tokens can be audio, whose prices are many times those of text
 * @param quantities upper bounds of everything else
 */
public record WorstCase(
    long promptTokens, long outputTokens, boolean audio, List<Quantity> quantities) {

  public WorstCase {
    quantities = List.copyOf(quantities);
  }

  /** Returns the bounds of a request that uses tokens only. */
  public static WorstCase ofTokens(long promptTokens, long outputTokens, boolean audio) {
    return new WorstCase(promptTokens, outputTokens, audio, List.of());
  }

  /**
   * Returns the highest cost within the bounds. It is not always that of the longest prompt,
   * because a higher tier may be cheaper: each tier is evaluated at the longest prompt that it
   * prices.
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
