package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.routing.PriceCap;
import dev.tollgate.core.routing.RoutingPreferences;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routing preferences of a request (docs/decisions/routing.md#preferences). */
class RoutingFieldsTest {
  @Test
  void everyFieldIsRead() {
    RoutingPreferences wish =
        wish(
            """
            "routing":{"strategy":"cost","order":["a","b"],"only":["a"],"ignore":["c"],
              "allow_fallbacks":false,"require_parameters":true,"models":["x/1","x/2"],
              "max_price":{"prompt":0.29,"completion":"1.5","image":0.04,"request":0},
              "preferred_max_latency_ms":800,"timeout_ms":30000,"resume":"auto",
              "hedge_after_ms":250,"session_id":"s-1","sort":"price"}""");
    assertThat(wish)
        .isEqualTo(
            new RoutingPreferences(
                Strategy.COST,
                List.of("a", "b"),
                List.of("a"),
                List.of("c"),
                false,
                true,
                List.of("x/1", "x/2"),
                new PriceCap(290_000, 1_500_000, 40_000_000_000L, 0),
                Duration.ofMillis(800),
                Duration.ofSeconds(30),
                Resume.AUTO,
                Duration.ofMillis(250),
                "s-1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"routing\":null",
        "\"routing\":{}",
        "\"provider\":{}",
        "\"routing\":{\"strategy\":null,\"order\":null,\"only\":[],\"max_price\":null,\"resume\":null,"
            + "\"timeout_ms\":null,\"session_id\":null,\"models\":null,\"allow_fallbacks\":null}",
        "\"routing\":{\"max_price\":{\"prompt\":null}}"
      })
  void absentMembersAreNoPreferences(String members) {
    assertThat(wish(members)).isEqualTo(RoutingPreferences.NONE);
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void aStringIsShortForItsStrategy(Strategy strategy) {
    RoutingPreferences shorthand = wish("\"routing\":\"" + strategy.wire() + "\"");
    assertThat(shorthand).isEqualTo(wish("\"routing\":{\"strategy\":\"" + strategy.wire() + "\"}"));
    assertThat(shorthand.strategy()).isEqualTo(strategy);
  }

  @Test
  void providerIsAnAliasThatRoutingOutweighs() {
    assertThat(wish("\"provider\":{\"order\":[\"a\"]}").order()).containsExactly("a");
    assertThat(wish("\"provider\":{\"order\":[\"a\"]},\"routing\":null").order())
        .containsExactly("a");
    RoutingPreferences both =
        wish("\"provider\":{\"order\":[\"a\"]},\"routing\":{\"only\":[\"b\"]}");
    assertThat(both.order()).isEmpty();
    assertThat(both.only()).containsExactly("b");
  }

  @Test
  void aPriceBeyondAllPricesIsNoBound() {
    assertThat(wish("\"routing\":{\"max_price\":{\"prompt\":1e300}}").priceCap())
        .isEqualTo(PriceCap.NONE);
  }

  private static RoutingPreferences wish(String members) {
    return ChatBodies.valid(
            "{\"model\":\"acme/m1\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
                + members
                + "}")
        .routing();
  }
}
