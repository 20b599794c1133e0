package dev.tollgate.server.settings;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.settings.binding.Flattened;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Keyword;
import dev.tollgate.server.settings.binding.Shorthand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code price} of a model, or {@code cost} of a route: USD with at most 6
 * decimals, or the word {@code free}. A price that is left out is not zero: cached, audio and image
 * input cost as input, reasoning and audio output as output. The prices that a modality needs are
 * required.
 */
@Keyword("free")
public record PriceSettings(
    @Key(about = "USD per million input tokens") @Nullable MicroUsd input,
    @Flattened TokenPriceSettings tokens,
    @Key(about = "USD per million characters of speech") @Nullable MicroUsd characters,
    @Key(about = "USD per second of audio") @Nullable MicroUsd audioSecond,
    @Key(about = "USD per image, or a list of prices by size and quality", single = true)
        List<ImagePriceSettings> image,
    @Key(about = "USD per second of video") @Nullable MicroUsd videoSecond,
    @Key(about = "USD per second of music") @Nullable MicroUsd musicSecond,
    @Key(about = "USD per request, added to the rest") @Nullable MicroUsd request,
    @Key(about = "token prices of requests with longer prompts, by ascending threshold")
        List<TierSettings> tiers) {

  /**
   * Entry of {@code image}: price of an image by size and quality; a missing size or quality
   * matches any.
   */
  @Shorthand("price")
  public record ImagePriceSettings(
      @Key(
              about = "size such as 1024x1024; left out: any",
              pattern = "[1-9]\\d{0,4}x[1-9]\\d{0,4}",
              expects = "a size such as 1024x1024")
          @Nullable String size,
      @Key(about = "quality such as hd; left out: any") @Nullable String quality,
      @Key(about = "USD per image", required = true) MicroUsd price) {}

  /** Entry of {@code tiers}: token prices of long prompts, which apply to the whole request. */
  public record TierSettings(
      @Key(about = "the tier applies above this number of input tokens", required = true, min = "1")
          long aboveInputTokens,
      @Key(about = "USD per million input tokens", required = true) MicroUsd input,
      @Flattened TokenPriceSettings tokens) {}
}
