package dev.tollgate.core.money;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Prices of a model: per token with tiers, per request, and per character, second or image. All
 * unit prices are in pico-USD (10⁻¹² USD) per unit, so that every sum is an integer and is rounded
 * once; prices per second are whole micro-USD, so that parts of a second have an exact price too.
 * Lists of equal prices are equal.
 */
public final class PriceList {
  private static final long PICO_PER_MICRO = 1_000_000;
  private static final long THOUSAND = 1_000;
  private static final long MINUTE = 60;
  private static final Quantity.Images ANY_IMAGE =
      new Quantity.Images(1, Optional.empty(), Optional.empty());

  /** Prices of a model that is configured as {@code free}. */
  public static final PriceList FREE = ofTokens(TokenPrices.ZERO);

  private final TokenPrices tokens;
  private final List<Tier> tiers;
  private final long perRequest;
  private final long perCharacter;
  private final long perAudioSecond;
  private final List<ImagePrice> images;
  private final long perVideoSecond;
  private final long perMusicSecond;
  private final PriceSheet sheet;

  /**
   * @param tiers by ascending threshold; the highest one that the prompt exceeds prices the whole
   *     request
   * @param perRequest added once to a charged request
   */
  public PriceList(
      TokenPrices tokens,
      List<Tier> tiers,
      long perRequest,
      long perCharacter,
      long perAudioSecond,
      List<ImagePrice> images,
      long perVideoSecond,
      long perMusicSecond) {
    if ((perRequest | perCharacter) < 0) {
      throw new IllegalArgumentException("a price below zero");
    }
    requireWholeMicros(perAudioSecond);
    requireWholeMicros(perVideoSecond);
    requireWholeMicros(perMusicSecond);
    this.tokens = tokens;
    this.tiers = List.copyOf(tiers);
    this.perRequest = perRequest;
    this.perCharacter = perCharacter;
    this.perAudioSecond = perAudioSecond;
    this.images = List.copyOf(images);
    this.perVideoSecond = perVideoSecond;
    this.perMusicSecond = perMusicSecond;
    this.sheet = PriceSheet.of(this); // reads all of the above
  }

  private static void requireWholeMicros(long perSecond) {
    if (perSecond < 0 || perSecond % PICO_PER_MICRO != 0) {
      throw new IllegalArgumentException("not whole micro-USD per second: " + perSecond);
    }
  }

  public static PriceList ofTokens(TokenPrices tokens) {
    return new PriceList(tokens, List.of(), 0, 0, 0, List.of(), 0, 0);
  }

  public TokenPrices tokens() {
    return tokens;
  }

  public List<Tier> tiers() {
    return tiers;
  }

  public long perRequest() {
    return perRequest;
  }

  public long perCharacter() {
    return perCharacter;
  }

  public long perAudioSecond() {
    return perAudioSecond;
  }

  public List<ImagePrice> images() {
    return images;
  }

  public long perVideoSecond() {
    return perVideoSecond;
  }

  public long perMusicSecond() {
    return perMusicSecond;
  }

  /** Returns these prices as a document with an id, made once. */
  public PriceSheet sheet() {
    return sheet;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PriceList that && sheet.equals(that.sheet);
  }

  @Override
  public int hashCode() {
    return sheet.hashCode();
  }

  @Override
  public String toString() {
    return sheet.content();
  }

  /** True if tokens have a price; if not, they need not be counted. */
  public boolean isByTokens() {
    return !tokens.equals(TokenPrices.ZERO) || !tiers.isEmpty();
  }

  /** Token prices that apply strictly above a number of prompt tokens. */
  public record Tier(long abovePromptTokens, TokenPrices tokens) {}

  /** Price of one image; an empty size or quality matches any. */
  public record ImagePrice(Optional<String> size, Optional<String> quality, long perImage) {
    public ImagePrice {
      if (perImage < 0) {
        throw new IllegalArgumentException("a price below zero");
      }
    }

    private boolean matches(Quantity.Images images) {
      return (size.isEmpty() || size.equals(images.size()))
          && (quality.isEmpty() || quality.equals(images.quality()));
    }

    // A size determines a price more than a quality does.
    private int specificity() {
      return (size.isPresent() ? 2 : 0) + (quality.isPresent() ? 1 : 0);
    }
  }

  /**
   * Returns the price of a thousand typical requests, by which lists are compared: of a thousand
   * tokens read and a thousand written, a thousand characters, a minute, and an image each.
   */
  public MicroUsd ofThousandRequests() {
    return new PicoSum()
        .add(THOUSAND, perRequest)
        .add(THOUSAND * THOUSAND, tokens.input())
        .add(THOUSAND * THOUSAND, tokens.output())
        .add(THOUSAND * THOUSAND, perCharacter)
        .add(THOUSAND * MINUTE, perAudioSecond)
        .add(THOUSAND * MINUTE, perVideoSecond)
        .add(THOUSAND * MINUTE, perMusicSecond)
        .add(THOUSAND, perImage(ANY_IMAGE))
        .rounded();
  }

  /** Returns the token prices of a request with this many prompt tokens. */
  public TokenPrices tokensFor(long promptTokens) {
    TokenPrices chosen = tokens;
    for (Tier tier : tiers) {
      if (promptTokens > tier.abovePromptTokens()) {
        chosen = tier.tokens();
      }
    }
    return chosen;
  }

  /**
   * Returns the price of one image of a kind, from the most specific entry that matches. A kind
   * that no entry matches has the highest price, because an unknown price is never zero.
   */
  public long perImage(Quantity.Images kind) {
    return images.stream()
        .filter(price -> price.matches(kind))
        .max(Comparator.comparingInt(ImagePrice::specificity))
        .or(() -> images.stream().max(Comparator.comparingLong(ImagePrice::perImage)))
        .map(ImagePrice::perImage)
        .orElse(0L);
  }

  /**
   * Returns the highest price that one of these images can have. A property that the request names
   * has its price; the model chooses the others, possibly the most expensive.
   */
  long perImageMax(Quantity.Images kind) {
    long max = 0;
    for (Optional<String> size : possible(kind.size(), ImagePrice::size)) {
      for (Optional<String> quality : possible(kind.quality(), ImagePrice::quality)) {
        max = Math.max(max, perImage(new Quantity.Images(1, size, quality)));
      }
    }
    return max;
  }

  /**
   * Returns what the model may choose for a property that the request leaves open: all values with
   * a price, and those without.
   */
  private List<Optional<String>> possible(
      Optional<String> asked, Function<ImagePrice, Optional<String>> priced) {
    boolean isOpen = asked.isEmpty() || asked.get().equals("auto");
    return isOpen
        ? Stream.concat(Stream.of(Optional.<String>empty()), images.stream().map(priced))
            .distinct()
            .toList()
        : List.of(asked);
  }
}
