package dev.tollgate.core.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.Corpora;

/** Shared price table: micro-USD per million tokens are pico-USD per token. */
final class WirePrices {
  private static final JsonNode TABLE =
      ClientView.tree(Corpora.text("wire/catalog/litellm/prices.micro.json"));

  private WirePrices() {}

  /** Returns the prices of a model; token kinds without a price cost as input or output. */
  static PriceList of(String model) {
    // One key of the recordings is not in the table, but its model is.
    JsonNode entry =
        TABLE.has(model) ? TABLE.get(model) : TABLE.get(model.replace("vertex_ai/", ""));
    if (entry == null) {
      throw new AssertionError("the table has no " + model);
    }
    JsonNode prices = entry.path("price").path("micro_per_mtok");
    long input = prices.path("input_cost_per_token").longValue();
    long output = prices.path("output_cost_per_token").longValue();
    long written = prices.path("cache_creation_input_token_cost").asLong(input);
    return PriceList.ofTokens(
        new TokenPrices(
            input,
            prices.path("cache_read_input_token_cost").asLong(input),
            written,
            prices.path("cache_creation_input_token_cost_above_1hr").asLong(written),
            input,
            output,
            output,
            output));
  }
}
