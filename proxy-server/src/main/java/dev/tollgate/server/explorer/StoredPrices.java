package dev.tollgate.server.explorer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.money.TokenPrices;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reader of price sheets, which gives back the price list that a sheet was made of. */
final class StoredPrices {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StoredPrices() {}

  /** Returns the prices of a sheet; empty if it is none. */
  static Optional<PriceList> read(String content) {
    try {
      JsonNode sheet = JSON.readTree(content);
      return sheet.isObject() ? Optional.of(prices(sheet)) : Optional.empty();
    } catch (JsonProcessingException | IllegalArgumentException notASheet) {
      return Optional.empty();
    }
  }

  private static PriceList prices(JsonNode sheet) {
    List<Tier> tiers = new ArrayList<>();
    for (JsonNode tier : sheet.path("tiers")) {
      tiers.add(new Tier(tier.path("above_prompt_tokens").asLong(), tokens(tier)));
    }
    List<ImagePrice> images = new ArrayList<>();
    for (JsonNode image : sheet.path("images")) {
      images.add(
          new ImagePrice(
              PricedRecord.text(image, "size"),
              PricedRecord.text(image, "quality"),
              image.path("price").asLong()));
    }
    return new PriceList(
        tokens(sheet),
        tiers,
        sheet.path("request").asLong(),
        sheet.path("character").asLong(),
        sheet.path("audio_second").asLong(),
        images,
        sheet.path("video_second").asLong(),
        sheet.path("music_second").asLong());
  }

  private static TokenPrices tokens(JsonNode prices) {
    return new TokenPrices(
        prices.path("input").asLong(),
        prices.path("cached_input").asLong(),
        prices.path("cache_write").asLong(),
        prices.path("cache_write_1h").asLong(),
        prices.path("audio_input").asLong(),
        prices.path("image_input").asLong(),
        prices.path("output").asLong(),
        prices.path("reasoning").asLong(),
        prices.path("audio_output").asLong());
  }
}
