package dev.tollgate.server.settings;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.settings.binding.Key;
import org.jspecify.annotations.Nullable;

/** Token prices other than that of input: of a model, or of one of its tiers. */
public record TokenPriceSettings(
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
        @Nullable MicroUsd audioOutput) {
  static final TokenPriceSettings NONE =
      new TokenPriceSettings(null, null, null, null, null, null, null, null);
}
