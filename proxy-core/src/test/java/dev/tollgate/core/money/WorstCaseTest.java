package dev.tollgate.core.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Worst cases: a reservation covers every usage within the bounds, and is not higher. */
class WorstCaseTest {
  private static final int RUNS = 5_000;
  private static final int USAGES = 20;

  @Test
  void noUsageWithinTheBoundsCostsMore() {
    Seeds.forEach(
        RUNS,
        random -> {
          PriceList prices = AnyPrices.list(random);
          List<Quantity> quantities = AnyPrices.quantities(random);
          WorstCase bounds =
              new WorstCase(
                  AnyPrices.count(random),
                  AnyPrices.count(random),
                  random.nextBoolean(),
                  quantities);
          MicroUsd reserved = bounds.cost(prices);
          for (int i = 0; i < USAGES; i++) {
            Usage usage = within(bounds, random);
            assertThat(Cost.of(usage, quantities, prices))
                .as("%s within %s", usage, bounds)
                .isLessThanOrEqualTo(reserved);
          }
        });
  }

  /** The model chooses what a request leaves open, and its choice is charged. */
  @Test
  void noImageThatAModelMayChooseToMakeCostsMore() {
    List<Optional<String>> sizes = Stream.of("", "1x1", "2x2", "auto").map(this::maybe).toList();
    List<Optional<String>> qualities =
        Stream.of("", "low", "high", "auto").map(this::maybe).toList();
    Seeds.forEach(
        RUNS,
        random -> {
          PriceList prices = AnyPrices.list(random);
          var asked = new Quantity.Images(3, any(sizes, random), any(qualities, random));
          var made =
              new Quantity.Images(
                  3,
                  chosen(asked.size(), sizes, random),
                  chosen(asked.quality(), qualities, random));
          MicroUsd reserved = new WorstCase(0, 0, false, List.of(asked)).cost(prices);
          assertThat(Cost.of(Usage.ZERO, List.of(made), prices))
              .as("%s made for %s at %s", made, asked, prices.images())
              .isLessThanOrEqualTo(reserved);
        });
  }

  private Optional<String> maybe(String name) {
    return Optional.of(name).filter(one -> !one.isEmpty());
  }

  private static Optional<String> any(List<Optional<String>> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static Optional<String> chosen(
      Optional<String> asked, List<Optional<String>> all, Random random) {
    boolean isOpen = asked.isEmpty() || asked.get().equals("auto");
    return isOpen ? any(all, random) : asked;
  }

  /** Returns usage whose parts may be inconsistent; a charge clamps them. */
  private static Usage within(WorstCase bounds, Random random) {
    boolean full = random.nextBoolean();
    long prompt = full ? bounds.promptTokens() : random.nextLong(bounds.promptTokens() + 1);
    long output = full ? bounds.outputTokens() : random.nextLong(bounds.outputTokens() + 1);
    long onTop = random.nextInt(3) == 0 ? random.nextLong(output + 1) : 0;
    return new Usage(
        prompt,
        output - onTop,
        AnyPrices.count(random),
        AnyPrices.count(random),
        AnyPrices.count(random),
        bounds.audio() ? AnyPrices.count(random) : 0,
        AnyPrices.count(random),
        AnyPrices.count(random),
        bounds.audio() ? AnyPrices.count(random) : 0,
        onTop,
        false);
  }

  @Test
  void someUsageWithinTheBoundsCostsAllOfIt() {
    Seeds.forEach(
        RUNS,
        random -> {
          PriceList prices = AnyPrices.list(random);
          WorstCase bounds =
              WorstCase.ofTokens(
                  AnyPrices.count(random), AnyPrices.count(random), random.nextBoolean());
          MicroUsd dearest = MicroUsd.ZERO;
          for (Usage usage : extremes(bounds, prices)) {
            MicroUsd cost = Cost.ofTokens(usage, prices);
            dearest = cost.compareTo(dearest) > 0 ? cost : dearest;
          }
          assertThat(bounds.cost(prices)).isEqualTo(dearest);
        });
  }

  /** Returns the longest prompt of every tier, all of one kind, with an output all of one kind. */
  private static List<Usage> extremes(WorstCase bounds, PriceList prices) {
    List<Long> prompts = new ArrayList<>(List.of(bounds.promptTokens()));
    for (Tier tier : prices.tiers()) {
      prompts.add(Math.min(tier.abovePromptTokens(), bounds.promptTokens()));
    }
    List<Usage> extremes = new ArrayList<>();
    long o = bounds.outputTokens();
    for (long p : prompts) {
      for (int in = bounds.audio() ? 0 : 1; in < 6; in++) {
        for (int out = bounds.audio() ? 0 : 1; out < 3; out++) {
          extremes.add(
              new Usage(
                  p,
                  o,
                  in == 1 ? p : 0,
                  in == 2 || in == 3 ? p : 0,
                  in == 3 ? p : 0,
                  in == 0 ? p : 0,
                  in == 4 ? p : 0,
                  out == 1 ? o : 0,
                  out == 0 ? o : 0,
                  0,
                  false));
        }
      }
    }
    return extremes;
  }

  @Test
  void aPromptThatMayReachATierIsReservedAtItsPrice() {
    PriceList prices =
        new PriceList(
            TokenPrices.of(1_000_000, 2_000_000),
            List.of(new Tier(100, TokenPrices.of(3_000_000, 4_000_000))),
            5_000_000,
            0,
            0,
            List.of(),
            0,
            0);
    assertThat(WorstCase.ofTokens(100, 10, false).cost(prices).value()).isEqualTo(5 + 100 + 20);
    assertThat(WorstCase.ofTokens(101, 10, false).cost(prices).value()).isEqualTo(5 + 303 + 40);
  }
}
