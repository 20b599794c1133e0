package dev.tollgate.core.routing;

import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;

/**
 * Highest prices that a request accepts, in pico-USD per token, image and request.
 *
 * @param perPromptToken {@link #UNBOUNDED} if the request sets no bound, like the others
 */
public record PriceCap(
    long perPromptToken, long perCompletionToken, long perImage, long perRequest) {
  public static final long UNBOUNDED = Long.MAX_VALUE;
  public static final PriceCap NONE = new PriceCap(UNBOUNDED, UNBOUNDED, UNBOUNDED, UNBOUNDED);

  /** True if these prices are within the bounds, in every tier and for every kind of image. */
  public boolean allows(PriceList prices) {
    boolean allows = allows(prices.tokens()) && prices.perRequest() <= perRequest;
    for (PriceList.Tier tier : prices.tiers()) {
      allows &= allows(tier.tokens());
    }
    for (PriceList.ImagePrice image : prices.images()) {
      allows &= image.perImage() <= perImage;
    }
    return allows;
  }

  private boolean allows(TokenPrices tokens) {
    return tokens.input() <= perPromptToken && tokens.output() <= perCompletionToken;
  }
}
