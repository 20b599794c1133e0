package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.money.Usage;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prices become exact integers, and a missing price is refused. */
final class PricesTest {

  private static InMemoryConfig model(String modality, String price) {
    String duration =
        modality.equals("video") || modality.equals("music") ? "default_duration_seconds: 5," : "";
    return InMemoryConfig.of(
        """
        version: 1
        providers: { mock: { type: mock } }
        models:
          acme/a:
            { modality: %s, %s price: %s, routes: [{ provider: mock, model: a }] }
        """
            .formatted(modality, duration, price));
  }

  private static PriceList prices(String modality, String price) {
    Settings settings = model(modality, price).settings();
    Model model =
        new CatalogBuilder(_ -> 1).build(settings).model(new ModelId("acme", "a")).orElseThrow();
    return model.prices();
  }

  @Test
  void tokenPricesAreExactPicoDollars() {
    PriceList list = prices("chat", "{ input: '0.15', cached_input: '0.075', output: 0.6 }");
    assertThat(list.tokens())
        .isEqualTo(
            new TokenPrices(150_000, 75_000, 150_000, 150_000, 150_000, 600_000, 600_000, 600_000));
    assertThat(Cost.ofTokens(Usage.estimate(1_000_000, 1_000_000), list).toUsd()).isEqualTo("0.75");
  }

  @Test
  void whatIsWrittenToACacheForAnHourHasItsOwnPrice() {
    String both = "{ input: 3, cache_write: '3.75', cache_write_1h: 6, output: 15 }";
    assertThat(prices("chat", both).tokens().cacheWrite()).isEqualTo(3_750_000);
    assertThat(prices("chat", both).tokens().cacheWrite1h()).isEqualTo(6_000_000);
    String one = "{ input: 3, cache_write: '3.75', output: 15 }";
    assertThat(prices("chat", one).tokens().cacheWrite1h()).isEqualTo(3_750_000);
    assertThat(prices("chat", "{ input: 3, output: 15 }").tokens().cacheWrite1h())
        .isEqualTo(3_000_000);
  }

  @Test
  void imagesThatOthersAreMadeOfHaveTheirOwnPrice() {
    assertThat(prices("image", "{ input: 5, image_input: 8, output: 30 }").tokens().imageInput())
        .isEqualTo(8_000_000);
    assertThat(prices("image", "{ input: 5, output: 30 }").tokens().imageInput())
        .isEqualTo(5_000_000);
  }

  @Test
  void everyUnitHasItsScale() {
    assertThat(prices("speech", "{ characters: '15' }").perCharacter()).isEqualTo(15_000_000);
    assertThat(prices("transcription", "{ audio_second: '0.0001' }").perAudioSecond())
        .isEqualTo(100_000_000);
    assertThat(prices("video", "{ video_second: '0.10' }").perVideoSecond())
        .isEqualTo(100_000_000_000L);
    assertThat(prices("music", "{ music_second: '0.02' }").perMusicSecond())
        .isEqualTo(20_000_000_000L);
    assertThat(prices("chat", "{ request: '0.000001' }").perRequest()).isEqualTo(1_000_000);
    assertThat(prices("image", "{ image: '0.04' }").images())
        .isEqualTo(List.of(new ImagePrice(Optional.empty(), Optional.empty(), 40_000_000_000L)));
    assertThat(prices("image", "{ image: [{ size: 1024x1024, quality: hd, price: 1 }] }").images())
        .isEqualTo(
            List.of(
                new ImagePrice(Optional.of("1024x1024"), Optional.of("hd"), 1_000_000_000_000L)));
    assertThat(prices("chat", "free")).isEqualTo(PriceList.FREE);
  }

  @Test
  void tiersPriceTheWholeRequestAboveTheirThreshold() {
    PriceList list =
        prices(
            "chat",
            "{ input: 1, output: 2, tiers: [{ above_input_tokens: 100, input: 3, output: 4 }] }");
    assertThat(list.tokensFor(100).input()).isEqualTo(1_000_000);
    assertThat(list.tokensFor(101).input()).isEqualTo(3_000_000);
    assertThat(list.tokensFor(101).cachedInput()).isEqualTo(3_000_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat | { output: 1 } | : does not price chat: give input and output,"
            + " request alone, or write price: free",
        "chat | { input: 1, request: 1 } | : does not price chat: give input and output,"
            + " request alone, or write price: free",
        "embedding | { output: 1 } | : does not price embedding: give input,"
            + " request alone, or write price: free",
        "image | { video_second: 1 } | : does not price image: give image, or input and output,"
            + " request alone, or write price: free",
        "video | { image: 1 } | : does not price video: give video_second,"
            + " request alone, or write price: free",
        "chat | {} | : must be the word free or a section with at least one key",
        "chat | cheap | : must be the word free or a section of keys, not a single value",
        "chat | { input: -1, output: 1 } | .input: must not be negative",
        "chat | { input: 1e3, output: 1 } | .input: must be USD such as \"0.15\", not \"1e3\"",
        "chat | { input: 1, output: 1, tiers: [{ above_input_tokens: 5, input: 1 }] }"
            + " | .tiers[0].output: is missing: the base price has it",
        "chat | { input: 1, cached_input: 1, output: 1,"
            + " tiers: [{ above_input_tokens: 5, input: 1, output: 1 }] }"
            + " | .tiers[0].cached_input: is missing: the base price has it",
        "chat | { input: 1, output: 1, tiers: [{ above_input_tokens: 5, input: 1, output: 1 },"
            + " { above_input_tokens: 5, input: 1, output: 1 }] }"
            + " | .tiers[1].above_input_tokens: must be more than the 5 of the tier above",
        "image | { image: [{ price: 1 }, { price: 2 }] }"
            + " | .image[1]: prices the same size and quality as one above",
        "image | { image: [{ size: big, price: 1 }] }"
            + " | .image[0].size: must be a size such as 1024x1024, not \"big\"",
      })
  void aBadOrMissingPriceDoesNotLoad(String modality, String price, String problem) {
    assertThat(model(modality, price).problems())
        .singleElement()
        .asString()
        .endsWith("models.acme/a.price" + problem);
  }

  private static InMemoryConfig costing(String cost) {
    return InMemoryConfig.of(
        """
        version: 1
        providers: { mock: { type: mock } }
        models:
          acme/a:
            modality: chat
            price: { input: 3, output: 15 }
            routes: [{ provider: mock, model: a, cost: %s }]
        """
            .formatted(cost));
  }

  @Test
  void aRouteHasItsCostInTheShapeOfAPriceOrThePrice() {
    String tiered =
        "{ input: 1, output: 2, tiers: [{ above_input_tokens: 100, input: 3, output: 4 }] }";
    assertThat(cost(tiered)).contains(prices("chat", tiered));
    assertThat(cost("{ request: '0.01' }")).contains(prices("chat", "{ request: '0.01' }"));
    assertThat(cost("free")).contains(PriceList.FREE);
    assertThat(cost("null")).isEmpty();
  }

  private static Optional<PriceList> cost(String cost) {
    return new CatalogBuilder(_ -> 1)
        .build(costing(cost).settings())
        .model(new ModelId("acme", "a"))
        .orElseThrow()
        .routes()
        .getFirst()
        .cost();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{ input: 1 } | : does not price chat: give input and output, request alone,"
            + " or write cost: free",
        "{ input: 1, output: 1, tiers: [{ above_input_tokens: 5, input: 1 }] }"
            + " | .tiers[0].output: is missing: the base price has it",
        "{} | : must be the word free or a section with at least one key",
        "{ input: -1, output: 1 } | .input: must not be negative",
        "{ inputs: 1, output: 1 } | .inputs: unknown key; did you mean input?",
      })
  void aBadCostDoesNotLoad(String cost, String problem) {
    assertThat(costing(cost).problems())
        .singleElement()
        .asString()
        .endsWith("models.acme/a.routes[0].cost" + problem);
  }

  @Test
  void videoAndMusicNeedADuration() {
    String yaml =
        """
        version: 1
        providers: { mock: { type: mock } }
        models:
          acme/v: { modality: video, price: free, routes: [{ provider: mock, model: v }] }
          acme/c:
            modality: chat
            default_duration_seconds: 5
            price: free
            routes: [{ provider: mock, model: v }]
        """;
    assertThat(InMemoryConfig.of(yaml).problems())
        .containsExactly(
            "gateway.yaml:4:11: models.acme/v.default_duration_seconds:"
                + " is missing: video models need it",
            "gateway.yaml:7:31: models.acme/c.default_duration_seconds:"
                + " is for video and music models only");
  }
}
