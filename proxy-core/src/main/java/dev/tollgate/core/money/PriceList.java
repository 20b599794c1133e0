package dev.tollgate.core.money;

import java.util.List;
import java.util.Optional;

/**
 * What a model costs. All unit prices are in pico-USD (10⁻¹² USD) per unit, so that every sum is an
 * integer and is rounded once.
 *
 * @param tiers by ascending threshold; the highest one that the prompt exceeds prices the whole
 *     request
 * @param perRequest added once to a charged request
 */
public record PriceList(
    TokenPrices tokens,
    List<Tier> tiers,
    long perRequest,
    long perCharacter,
    long perAudioSecond,
    List<ImagePrice> images,
    long perVideoSecond,
    long perMusicSecond) {

  /** The list of a model whose price is the word {@code free}. */
  public static final PriceList FREE =
      new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 0, List.of(), 0, 0);

  public PriceList {
    tiers = List.copyOf(tiers);
    images = List.copyOf(images);
  }

  public static PriceList ofTokens(TokenPrices tokens) {
    return new PriceList(tokens, List.of(), 0, 0, 0, List.of(), 0, 0);
  }

  /** Token prices that apply strictly above a number of prompt tokens. */
  public record Tier(long abovePromptTokens, TokenPrices tokens) {}

  /** Price of one image; empty size or quality matches any. */
  public record ImagePrice(Optional<String> size, Optional<String> quality, long perImage) {}

  /** The token prices of a request with this many prompt tokens. */
  public TokenPrices tokensFor(long promptTokens) {
    TokenPrices chosen = tokens;
    for (Tier tier : tiers) {
      if (promptTokens > tier.abovePromptTokens()) {
        chosen = tier.tokens();
      }
    }
    return chosen;
  }
}
