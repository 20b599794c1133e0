package dev.tollgate.core.api.image;

import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.prompt.PromptMedia;
import dev.tollgate.core.prompt.PromptSize;
import java.util.List;
import java.util.Optional;

/**
 * Options of an image request that determine its price: number, kind and sources of the images.
 *
 * @param size such as {@code 1024x1024}; empty means the model's choice
 * @param quality empty means the model's choice
 * @param promptBytes size of the prompt in bytes
 * @param sources number of images that the new ones are made from
 */
public record ImageOptions(
    int count,
    Optional<String> size,
    Optional<String> quality,
    ImageFormat format,
    long promptBytes,
    int sources) {
  static final int COUNT_MAX = 10;

  // The largest default size of known models, 1536 by 1024.
  private static final long PIXELS_USUAL = 1_536L * 1_024;
  private static final long PIXELS_MAX = 8_192L * 8_192;
  // The most expensive qualities have a token for about 250 pixels.
  private static final int PIXELS_PER_TOKEN_LEAST = 200;
  // Three colours, uncompressed, in base64.
  private static final int BASE64_BYTES_PER_PIXEL = 4;
  // Lower bound for small images.
  private static final int TOKENS_LEAST = 1_500;
  // Tokens of an image of usual size and quality, if the provider reported none.
  private static final int TOKENS_LIKELY = 1_290;
  private static final int PLAUSIBLE_FACTOR = 8;

  /** Returns a number of images of this kind. */
  Quantity.Images images(int made) {
    return new Quantity.Images(made, size, quality);
  }

  PromptSize prompt() {
    return new PromptSize(promptBytes, 0, 0, PromptMedia.images(sources));
  }

  /** Returns the estimated usage of a number of images. */
  static Usage usageLikely(long promptTokens, long made) {
    return Usage.estimate(promptTokens, made * TOKENS_LIKELY);
  }

  MicroUsd estimate(Model served) {
    return new WorstCase(
            promptTokensAtMost(served), tokensAtMost(served), false, List.of(images(count)))
        .cost(served.prices());
  }

  private long promptTokensAtMost(Model served) {
    long media = (long) sources * served.imageTokensReserved();
    return TokenEstimate.atMost(promptBytes, media, served.contextLengthMax());
  }

  /** Returns the token bound of all images; the model's own bound applies to each image. */
  private long tokensAtMost(Model served) {
    long each = Math.max(tokensOfOneAtMost(), served.outputTokensReserved());
    return count * TokenEstimate.outputAtMost(each, served);
  }

  private long tokensOfOneAtMost() {
    return Math.max(TOKENS_LEAST, pixelsLikely() / PIXELS_PER_TOKEN_LEAST);
  }

  private long pixelsLikely() {
    return size.map(ImageOptions::pixels).orElse(PIXELS_USUAL);
  }

  /** Returns the likely size of a reply that contains the images, in bytes. */
  long replyBytesLikely() {
    return count * pixelsLikely() * BASE64_BYTES_PER_PIXEL;
  }

  private static long pixels(String size) {
    int x = size.indexOf('x');
    long width = Long.parseLong(size.substring(0, x));
    return Math.min(PIXELS_MAX, width * Long.parseLong(size.substring(x + 1)));
  }

  /** Returns the tokens that the limit of tokens per minute sets aside. */
  long tokensEstimated(Model served) {
    return prompt().tokensSetAside() + (served.prices().isByTokens() ? tokensAtMost(served) : 0);
  }

  /** Returns the bound of plausible token counts. */
  int plausibleTokensMax(Model served) {
    long tokensMax = tokensAtMost(served) + promptTokensAtMost(served);
    return (int) Math.min(Integer.MAX_VALUE, PLAUSIBLE_FACTOR * tokensMax);
  }
}
