package dev.tollgate.core.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.testkit.Seeds;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The document that is kept of prices, and its id. */
class PriceSheetTest {

  @Test
  void aSheetHoldsWhatHasAPrice() {
    TokenPrices tokens = TokenPrices.of(100, 200);
    var prices =
        new PriceList(
            new TokenPrices(1, 2, 3, 4, 5, 6, 7, 8, 9),
            List.of(new Tier(1_000, tokens)),
            10,
            0,
            0,
            List.of(new ImagePrice(Optional.of("1x1"), Optional.of("a\"é"), 11)),
            3_000_000,
            0);
    assertThat(prices.sheet().content())
        .isEqualTo(
            "{\"input\":1,\"cached_input\":2,\"cache_write\":3,\"cache_write_1h\":4,"
                + "\"audio_input\":5,\"image_input\":6,\"output\":7,\"reasoning\":8,"
                + "\"audio_output\":9,\"tiers\":[{\"above_prompt_tokens\":1000,"
                + "\"input\":100,\"cached_input\":100,\"cache_write\":100,"
                + "\"cache_write_1h\":100,\"audio_input\":100,\"image_input\":100,"
                + "\"output\":200,\"reasoning\":200,\"audio_output\":200}],\"request\":10,"
                + "\"images\":[{\"size\":\"1x1\",\"quality\":\"a\\u0022\\u00e9\",\"price\":11}],"
                + "\"video_second\":3000000}");
    assertThat(PriceList.FREE.sheet().content()).isEqualTo("{}");
  }

  @Test
  void equalPricesHaveOneIdAndOthersAnother() {
    // The id is kept in stores: it is the same in every version.
    assertThat(PriceList.FREE.sheet().id()).isEqualTo("RBNvo1WzZ4oRRq0W9-hkng");
    Seeds.forEach(
        500,
        random -> {
          long seed = random.nextLong();
          PriceList one = AnyPrices.list(new Random(seed));
          PriceList same = AnyPrices.list(new Random(seed));
          PriceList other = AnyPrices.list(random);
          assertThat(same).isEqualTo(one).hasSameHashCodeAs(one);
          assertThat(same.sheet().id()).isEqualTo(one.sheet().id()).hasSize(22);
          assertThat(other.sheet().id().equals(one.sheet().id()))
              .isEqualTo(other.sheet().content().equals(one.sheet().content()));
        });
  }
}
