package dev.tollgate.server.settings;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.settings.binding.Key;
import org.jspecify.annotations.Nullable;

/** Configured token prices of a model or price tier, except for the price of plain input tokens. */
public record TokenPriceSettings(
    @Key(about = "USD per million input tokens read from a cache; left out: as input")
        @Nullable MicroUsd cachedInput,
    @Key(about = "USD per million input tokens written to a cache; left out: as input")
        @Nullable MicroUsd cacheWrite,
    @Key(
            name = "cache_write_1h",
            about = "USD per million input tokens cached for an hour; left out: as cache_write")
        @Nullable MicroUsd cacheWrite1h,
    @Key(about = "USD per million audio input tokens; left out: as input")
        @Nullable MicroUsd audioInput,
    @Key(about = "USD per million image input tokens of image models; left out: as input")
        @Nullable MicroUsd imageInput,
    @Key(about = "USD per million output tokens") @Nullable MicroUsd output,
    @Key(about = "USD per million reasoning tokens; left out: as output")
        @Nullable MicroUsd reasoning,
    @Key(about = "USD per million audio output tokens; left out: as output")
        @Nullable MicroUsd audioOutput) {
  static final TokenPriceSettings NONE =
      new TokenPriceSettings(null, null, null, null, null, null, null, null);
}
