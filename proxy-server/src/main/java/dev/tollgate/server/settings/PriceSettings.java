package dev.tollgate.server.settings;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.settings.binding.Flattened;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Keyword;
import dev.tollgate.server.settings.binding.Shorthand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code price}: decimal USD with at most 6 decimals, or the word {@code free}. A price that is
 * left out is not zero: cached, audio and image input cost as input, reasoning and audio output as
 * output, and what the modality needs is required.
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
    @Key(about = "token prices of requests with a longer prompt, by ascending threshold")
        List<TierSettings> tiers) {

  /** One entry of {@code image}; a size or quality that is left out means any. */
  @Shorthand("price")
  public record ImagePriceSettings(
      @Key(
              about = "such as 1024x1024; any where left out",
              pattern = "[1-9]\\d{0,4}x[1-9]\\d{0,4}",
              expects = "a size such as 1024x1024")
          @Nullable String size,
      @Key(about = "such as hd; any where left out") @Nullable String quality,
      @Key(about = "USD per image", required = true) MicroUsd price) {}

  /** One entry of {@code tiers}: it prices the whole request. */
  public record TierSettings(
      @Key(about = "applies strictly above this many input tokens", required = true, min = "1")
          long aboveInputTokens,
      @Key(about = "USD per million input tokens", required = true) MicroUsd input,
      @Flattened TokenPriceSettings tokens) {}
}
