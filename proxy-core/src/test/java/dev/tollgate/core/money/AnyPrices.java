package dev.tollgate.core.money;

import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.PriceList.Tier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Random prices and usage: small numbers that often coincide, and sometimes large ones. */
public final class AnyPrices {
  private static final List<Optional<String>> SIZES =
      List.of(Optional.empty(), Optional.of("256x256"), Optional.of("1024x1024"));
  private static final List<Optional<String>> QUALITIES =
      List.of(Optional.empty(), Optional.of("low"), Optional.of("hd"));

  private AnyPrices() {}

  public static PriceList list(Random random) {
    List<Tier> tiers = new ArrayList<>();
    long above = 0;
    for (int i = random.nextInt(4); i > 0; i--) {
      above += 1 + random.nextInt(1_000);
      tiers.add(new Tier(above, tokens(random)));
    }
    List<ImagePrice> images = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      images.add(new ImagePrice(any(random, SIZES), any(random, QUALITIES), price(random)));
    }
    return new PriceList(
        tokens(random),
        tiers,
        price(random),
        price(random),
        price(random) * 1_000_000,
        images,
        price(random) * 1_000_000,
        price(random) * 1_000_000);
  }

  static TokenPrices tokens(Random random) {
    return new TokenPrices(
        price(random),
        price(random),
        price(random),
        price(random),
        price(random),
        price(random),
        price(random),
        price(random),
        price(random));
  }

  static long price(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(10);
      default -> random.nextInt(100_000_000);
    };
  }

  /** Returns any usage, whether or not its parts are consistent. */
  public static Usage usage(Random random) {
    long reasoning = count(random);
    return new Usage(
        count(random),
        count(random),
        count(random),
        count(random),
        count(random),
        count(random),
        count(random),
        reasoning,
        count(random),
        random.nextInt(3) == 0 ? reasoning : 0,
        false);
  }

  static long count(Random random) {
    return random.nextInt(3) == 0 ? random.nextInt(5) : random.nextInt(4_000);
  }

  public static List<Quantity> quantities(Random random) {
    return List.of(
        new Quantity.Characters(count(random)),
        new Quantity.AudioTime(time(random)),
        new Quantity.VideoTime(time(random)),
        new Quantity.MusicTime(time(random)),
        new Quantity.Images(count(random), any(random, SIZES), any(random, QUALITIES)));
  }

  private static Duration time(Random random) {
    return Duration.ofNanos(random.nextLong(100_000_000_000L) * 1_000);
  }

  private static <T> T any(Random random, List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
