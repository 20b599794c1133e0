package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.Corpora;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/** The shared price table in the form of the configuration: USD per million tokens. */
final class WirePrice {
  private static final JsonNode TABLE =
      Json.tree(Corpora.text("wire/catalog/litellm/prices.micro.json"));
  private static final Map<String, String> NAMES =
      Map.of(
          "input", "input_cost_per_token",
          "output", "output_cost_per_token",
          "cached_input", "cache_read_input_token_cost",
          "cache_write", "cache_creation_input_token_cost");

  private WirePrice() {}

  /** Returns the prices of a case's model; the usual ones if it has none. */
  static Map<String, String> of(JsonNode cost) {
    JsonNode table = TABLE.path(cost.path("litellm_key").asText()).path("price");
    JsonNode micro = table.path("micro_per_mtok");
    if (!cost.isObject()) {
      return ConfigBuilder.PRICE;
    }
    Map<String, String> prices = new LinkedHashMap<>();
    NAMES.forEach(
        (ours, theirs) -> {
          if (micro.has(theirs)) {
            prices.put(ours, new BigDecimal(micro.get(theirs).asText()).movePointLeft(6) + "");
          }
        });
    prices.replaceAll((_, usd) -> new BigDecimal(usd).toPlainString());
    return prices;
  }
}
