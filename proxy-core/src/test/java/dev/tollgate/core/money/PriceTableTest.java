package dev.tollgate.core.money;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.money.Quantity.AudioTime;
import dev.tollgate.core.money.Quantity.Characters;
import dev.tollgate.core.money.Quantity.Images;
import dev.tollgate.core.money.Quantity.MusicTime;
import dev.tollgate.core.money.Quantity.VideoTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Table of usage, prices and charges, each row computed by hand. */
class PriceTableTest {
  private static final Map<String, PriceList> LISTS =
      Map.ofEntries(
          // USD per million: input, cached, write, write 1h, audio in, output, reasoning, audio out
          Map.entry("mini", tokens(".15 .075 .15 .15 .15 .60 .60 .60")),
          Map.entry("sonnet", tokens("3 .30 3.75 6 3 15 15 15")),
          Map.entry("voice", tokens("2.50 2.50 2.50 2.50 40 10 10 80")),
          Map.entry("grok", tokens(".30 .075 .30 .30 .30 .50 .50 .50")),
          Map.entry("thinker", tokens("1 1 1 1 1 2 4 2")),
          Map.entry(
              "tiered",
              new PriceList(
                  prices("1.25 .125 1.25 1.25 1.25 10 10 10"),
                  List.of(new Tier(200_000, prices("2.50 .25 2.50 2.50 2.50 15 15 15"))),
                  0,
                  0,
                  0,
                  List.of(),
                  0,
                  0)),
          Map.entry("asked", other(pico("0.005"), 0, 0, List.of(), 0, 0)),
          Map.entry("speech", other(0, pico("0.000015"), 0, List.of(), 0, 0)),
          Map.entry("audio", other(0, 0, pico("0.0001"), List.of(), 0, 0)),
          Map.entry(
              "image",
              images(
                  image("1024x1024", "low", "0.011"),
                  image("1024x1024", "high", "0.167"),
                  image("1536x1024", "high", "0.25"))),
          Map.entry(
              "image-any",
              images(
                  image("", "", "0.04"), image("1024x1792", "", "0.08"), image("", "hd", "0.12"))),
          Map.entry("film", other(0, 0, 0, List.of(), pico("0.10"), 0)),
          Map.entry("song", other(0, 0, 0, List.of(), 0, pico("0.02"))),
          Map.entry("free", PriceList.FREE));

  private static final String ROWS =
      """
      mini     | prompt=1000 completion=500                       |   450 | 150 + 300
      mini     | prompt=1000 cached=600                           |   105 | 400 × .15 + 600 × .075
      mini     | prompt=1                                         |     1 | .15, at least 1
      mini     | prompt=3                                         |     1 | .45, at least 1
      mini     | prompt=10                                        |     2 | 1.5, half up
      mini     | prompt=0                                         |     0 | nothing used
      mini     | prompt=16 completion=2                           |     4 | 2.4 + 1.2 = 3.6
      mini     | prompt=10 cached=161 completion=1                |     1 | 10 × .075 + .6 = 1.35
      mini     | prompt=12345 cached=10000 completion=678         |  1509 | 351.75 + 750 + 406.8
      mini     | prompt=-5 cached=-7 completion=10                |     6 | below zero is nothing
      sonnet   | prompt=13 cached=1 write=2 completion=21         |   353 | 30 + .3 + 7.5 + 315
      sonnet   | prompt=1377 write=1365 completion=5              |  5230 | 36 + 5118.75 + 75
      sonnet   | prompt=1377 write=1365 write1h=1365 completion=5 |  8301 | 36 + 8190 + 75
      sonnet   | prompt=2012 write=2000 write1h=500               |  8661 | 36 + 5625 + 3000
      sonnet   | prompt=100 cached=80 write=80                    |    99 | 24 + 20 × 3.75
      sonnet   | prompt=100 write=50 write1h=90                   |   450 | 150 + 50 × 6
      sonnet   | prompt=100 cached=100 write=100 write1h=100      |    30 | all of it was read
      voice    | prompt=100 audio=40                              |  1750 | 150 + 1600
      voice    | completion=100 audioout=40                       |  3800 | 600 + 3200
      voice    | prompt=10 audio=50                               |   400 | 10 × 40
      voice    | prompt=100 cached=80 audio=50                    |  1000 | 200 + 20 × 40
      voice    | completion=10 audioout=50                        |   800 | 10 × 80
      grok     | prompt=10 completion=31 reasoning=290 ontop=290  |   164 | 3 + 15.5 + 145
      grok     | prompt=3253 cached=1499 completion=641           |   959 | 526.2 + 112.425 + 320.5
      thinker  | completion=100 reasoning=60                      |   320 | 80 + 240
      thinker  | completion=100 reasoning=160                     |   400 | 100 × 4
      thinker  | completion=31 reasoning=290 ontop=290            |  1222 | 62 + 1160
      thinker  | completion=100 reasoning=90 audioout=40          |   320 | 40 × 2 + 60 × 4
      tiered   | prompt=200000 completion=1000                    | 260000 | 250000 + 10000
      tiered   | prompt=200001 completion=1000                    | 515003 | 500002.5 + 15000
      tiered   | prompt=250000 cached=249000 completion=10        |  64900 | 2500 + 62250 + 150
      tiered   | prompt=199999 cached=199999                      |  25000 | 24999.875
      asked    | prompt=10 completion=5                           |   5000 | per request only
      asked    | prompt=0                                         |   5000 | per request only
      speech   | characters=4096                                  |  61440 | 4096 × 15
      speech   | characters=1                                     |     15 | 15
      speech   | characters=-1                                    |      0 | below zero is nothing
      audio    | audio-s=60                                       |   6000 | 60 × 100
      audio    | audio-s=0.5                                      |     50 | 50
      audio    | audio-s=0.001                                    |      1 | .1, at least 1
      audio    | audio-s=12.345678                                |   1235 | 1234.5678
      audio    | audio-s=-3                                       |      0 | below zero is nothing
      image    | images=1:1024x1024:high                          | 167000 | by size and quality
      image    | images=4:1024x1024:low                           |  44000 | 4 × 11000
      image    | images=1:1536x1024:high                          | 250000 | by size and quality
      image    | images=1:1024x1024:auto                          | 250000 | not priced: the most expensive
      image    | images=2::                                       | 500000 | unknown: the most expensive
      image-any | images=1:1024x1024:standard                     |  40000 | any
      image-any | images=1:1024x1792:standard                     |  80000 | by size
      image-any | images=3:512x512:hd                             | 360000 | by quality
      image-any | images=1:1024x1792:hd                           |  80000 | a size is more specific
      image-any | images=0:1024x1024:hd                           |      0 | no image
      film     | video-s=8                                        | 800000 | 8 × 100000
      film     | video-s=5.5                                      | 550000 | 5.5 × 100000
      song     | music-s=30                                       | 600000 | 30 × 20000
      free     | prompt=1000 completion=500 cached=7              |      0 | free
      """;

  @ParameterizedTest(name = "{0}: {1} = {2} ({3})")
  @CsvSource(delimiter = '|', textBlock = ROWS)
  void whatWasUsedCostsWhatTheTableSays(String list, String used, long micro, String working) {
    PriceList prices = LISTS.get(list);
    assertThat(prices).isNotNull();
    Map<String, String> counts = new HashMap<>();
    for (String count : used.split(" ", -1)) {
      counts.put(count.split("=", 2)[0], count.split("=", 2)[1]);
    }
    assertThat(Cost.of(usage(counts), quantities(counts), prices).value())
        .as(working)
        .isEqualTo(micro);
  }

  private static Usage usage(Map<String, String> counts) {
    return new Usage(
        count(counts, "prompt"),
        count(counts, "completion"),
        count(counts, "cached"),
        count(counts, "write"),
        count(counts, "write1h"),
        count(counts, "audio"),
        count(counts, "reasoning"),
        count(counts, "audioout"),
        count(counts, "ontop"),
        false);
  }

  private static long count(Map<String, String> counts, String name) {
    return Long.parseLong(counts.getOrDefault(name, "0"));
  }

  private static List<Quantity> quantities(Map<String, String> counts) {
    String[] images = counts.getOrDefault("images", "0::").split(":", -1);
    return List.of(
        new Characters(count(counts, "characters")),
        new AudioTime(seconds(counts, "audio-s")),
        new VideoTime(seconds(counts, "video-s")),
        new MusicTime(seconds(counts, "music-s")),
        new Images(Long.parseLong(images[0]), given(images[1]), given(images[2])));
  }

  private static Duration seconds(Map<String, String> counts, String name) {
    return Duration.parse("PT" + counts.getOrDefault(name, "0") + "S");
  }

  private static Optional<String> given(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  private static PriceList tokens(String usdPerMillion) {
    return PriceList.ofTokens(prices(usdPerMillion));
  }

  private static TokenPrices prices(String usdPerMillion) {
    long[] p = new long[8];
    String[] usd = usdPerMillion.split(" ", -1);
    for (int i = 0; i < p.length; i++) {
      p[i] = MicroUsd.ofUsd(usd[i]).value();
    }
    return new TokenPrices(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
  }

  private static PriceList other(
      long request, long character, long audio, List<ImagePrice> images, long video, long music) {
    return new PriceList(
        TokenPrices.ZERO, List.of(), request, character, audio, images, video, music);
  }

  private static PriceList images(ImagePrice... images) {
    return other(0, 0, 0, List.of(images), 0, 0);
  }

  private static ImagePrice image(String size, String quality, String usd) {
    return new ImagePrice(given(size), given(quality), pico(usd));
  }

  private static long pico(String usd) {
    return MicroUsd.ofUsd(usd).value() * 1_000_000;
  }
}
