package dev.tollgate.server.settings;

import dev.tollgate.core.money.MicroUsd;
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
    @Key(about = "USD per million input tokens read from a cache; as input where left out")
        @Nullable MicroUsd cachedInput,
    @Key(about = "USD per million input tokens written to a cache; as input where left out")
        @Nullable MicroUsd cacheWrite,
    @Key(
            name = "cache_write_1h",
            about =
                "USD per million input tokens cached for an hour; as cache_write where left out")
        @Nullable MicroUsd cacheWrite1h,
    @Key(about = "USD per million audio input tokens; as input where left out")
        @Nullable MicroUsd audioInput,
    @Key(about = "USD per million image input tokens of image models; as input where left out")
        @Nullable MicroUsd imageInput,
    @Key(about = "USD per million output tokens") @Nullable MicroUsd output,
    @Key(about = "USD per million reasoning tokens; as output where left out")
        @Nullable MicroUsd reasoning,
    @Key(about = "USD per million audio output tokens; as output where left out")
        @Nullable MicroUsd audioOutput,
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
      @Key(about = "as in the base price") @Nullable MicroUsd cachedInput,
      @Key(about = "as in the base price") @Nullable MicroUsd cacheWrite,
      @Key(name = "cache_write_1h", about = "as in the base price") @Nullable MicroUsd cacheWrite1h,
      @Key(about = "as in the base price") @Nullable MicroUsd audioInput,
      @Key(about = "as in the base price") @Nullable MicroUsd imageInput,
      @Key(about = "USD per million output tokens") @Nullable MicroUsd output,
      @Key(about = "as in the base price") @Nullable MicroUsd reasoning,
      @Key(about = "as in the base price") @Nullable MicroUsd audioOutput) {}
}
