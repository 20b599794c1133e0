package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.money.Usage;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped model catalog, loaded like an operator's file: every model has plausible values. */
final class ShippedCatalogTest {
  private static final Path MAIN = ShippedFilesTest.folder().resolve("main-of-the-test.yaml");
  private static final Map<String, String> ALL_KEYS =
      Stream.of(
              "OPENAI",
              "ANTHROPIC",
              "GEMINI",
              "XAI",
              "MISTRAL",
              "DEEPSEEK",
              "GROQ",
              "MOONSHOT",
              "ZAI",
              "MINIMAX",
              "PERPLEXITY",
              "COHERE")
          .collect(Collectors.toMap(name -> name + "_API_KEY", _ -> "sk-test"));

  private static final Instant EARLIEST = day(LocalDate.of(2022, 1, 1));
  private static final Instant GATHERED = day(LocalDate.of(2026, 11, 30));
  // In pico-USD per token: 0.01 and 200 USD per million.
  private static final long PER_TOKEN_LEAST = 10_000;
  private static final long PER_TOKEN_MOST = 200_000_000;

  static List<Model> models() {
    return List.copyOf(catalog("").models());
  }

  static List<Model> chats() {
    return models().stream().filter(model -> model.modality() == Modality.CHAT).toList();
  }

  private static Catalog catalog(String own) {
    return new CatalogBuilder(_ -> 1).build(settings(own, ALL_KEYS));
  }

  private static Settings settings(String own, Map<String, String> environment) {
    String main = "version: 1\ncatalogs: [catalog.yaml]\n" + own;
    var surroundings = new ProcessEnvironment(environment, file -> read(file, main));
    LoadResult loaded = new SettingsLoader(surroundings).load(MAIN, List.of());
    assertThat(loaded).isInstanceOf(LoadResult.Valid.class);
    return ((LoadResult.Valid) loaded).settings();
  }

  private static String read(Path file, String main) throws IOException {
    if (file.equals(MAIN)) {
      return main;
    }
    if (!file.equals(MAIN.resolveSibling("catalog.yaml"))) {
      throw new NoSuchFileException(file.toString());
    }
    return Files.readString(file);
  }

  private static Instant day(LocalDate date) {
    return date.atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  @Test
  void itHoldsAtLeastSixtyModelsOfManyProviders() {
    assertThat(models()).hasSizeGreaterThanOrEqualTo(60);
    assertThat(catalog("").providers()).hasSizeGreaterThanOrEqualTo(10);
    assertThat(chats()).hasSizeGreaterThanOrEqualTo(60);
    assertThat(models())
        .extracting(Model::modality)
        .contains(Modality.EMBEDDING, Modality.SPEECH, Modality.TRANSCRIPTION, Modality.IMAGE);
  }

  @ParameterizedTest
  @MethodSource("models")
  void everyModelIsNamedAndDatedAndPriced(Model model) {
    assertThat(ModelId.parse(model.id().toString())).contains(model.id());
    assertThat(model.id().toString()).matches("[a-z0-9.-]+/[a-z0-9.-]+");
    assertThat(model.name()).isNotBlank();
    assertThat(model.created()).isBetween(EARLIEST, GATHERED);
    assertThat(model.prices()).isNotEqualTo(PriceList.FREE);
    assertThat(typicalCost(model)).as("USD of a usual request").isBetween(0.000001, 1.0);
    assertThat(model.routes()).hasSize(1);
    assertThat(model.routes().getFirst().provider().endpoint().tls()).isTrue();
  }

  private static double typicalCost(Model model) {
    List<Quantity> quantities =
        List.of(
            new Quantity.Characters(1_000),
            new Quantity.AudioTime(Duration.ofMinutes(1)),
            new Quantity.Images(1, Optional.of("1024x1024"), Optional.of("high")));
    return Cost.of(Usage.ofTokens(1_000, 500), quantities, model.prices()).value() / 1e6;
  }

  @ParameterizedTest
  @MethodSource("chats")
  void everyChatModelHasPlausibleBoundsAndPrices(Model model) {
    assertThat(model.contextLength()).isBetween(8_000, 2_000_000);
    assertThat(model.outputTokensMax()).isBetween(0, model.contextLength());
    assertThat(model.capabilities()).contains("streaming");
    assertPlausible(model.prices().tokens());
    TokenPrices lower = model.prices().tokens();
    for (PriceList.Tier tier : model.prices().tiers()) {
      assertPlausible(tier.tokens());
      assertThat(tier.abovePromptTokens()).isBetween(32_000L, (long) model.contextLength());
      assertThat(tier.tokens().input()).isGreaterThan(lower.input());
      assertThat(tier.tokens().cachedInput()).isGreaterThan(lower.cachedInput());
      assertThat(tier.tokens().output()).isGreaterThan(lower.output());
      lower = tier.tokens();
    }
  }

  private static void assertPlausible(TokenPrices prices) {
    assertThat(prices.input()).isBetween(PER_TOKEN_LEAST, PER_TOKEN_MOST);
    assertThat(prices.output()).isBetween(prices.input(), PER_TOKEN_MOST);
    assertThat(prices.cachedInput()).isBetween(1L, prices.input());
    assertThat(prices.cacheWrite()).isBetween(prices.input(), 2 * prices.input());
    assertThat(prices.cacheWrite1h()).isBetween(prices.cacheWrite(), 2 * prices.input());
    assertThat(prices.reasoning()).isEqualTo(prices.output());
    assertThat(prices.audioInput()).isGreaterThanOrEqualTo(prices.input());
    assertThat(prices.audioOutput()).isGreaterThanOrEqualTo(prices.output());
  }

  @Test
  void noTwoModelsAreTheSameAtAProvider() {
    Set<String> seen = new HashSet<>();
    for (Model model : models()) {
      var route = model.routes().getFirst();
      String at = route.provider().id().value() + " " + route.upstreamModel();
      assertThat(seen.add(at)).as(at).isTrue();
    }
  }

  @Test
  void aProviderTakesItsKeyFromTheEnvironmentAndMayHaveNone() {
    Settings settings = settings("", Map.of("GROQ_API_KEY", "gsk-1"));
    settings
        .providers()
        .forEach(
            (id, provider) -> {
              var key = ((RemoteProvider) provider).keys().apiKey();
              String revealed = key == null ? "" : key.reveal();
              assertThat(revealed).isEqualTo(id.value().equals("groq") ? "gsk-1" : "");
            });
    Catalog catalog = new CatalogBuilder(_ -> 1).build(settings);
    assertThat(catalog.providers()).extracting(one -> one.id().value()).containsExactly("groq");
    assertThat(catalog.models()).hasSize(8);
    assertThat(catalog.model(new ModelId("openai", "gpt-4o"))).isEmpty();
    assertThat(catalog.model(new ModelId("openai", "gpt-oss-120b"))).isPresent();
  }

  @Test
  void anOperatorsOwnPriceAndProviderReplaceThoseOfTheCatalog() {
    String own =
        """
        providers:
          openai: { type: openai, base_url: "https://proxy.example/v1", api_key: k }
        models:
          openai/gpt-4o-mini:
            { modality: chat, price: { input: "0.20", output: "0.80" },
              routes: [{ provider: openai, model: gpt-4o-mini }] }
        """;
    Catalog catalog = catalog(own);
    Model mine = catalog.model(new ModelId("openai", "gpt-4o-mini")).orElseThrow();
    assertThat(mine.prices()).isEqualTo(PriceList.ofTokens(TokenPrices.of(200_000, 800_000)));
    Model theirs = catalog.model(new ModelId("openai", "gpt-4o")).orElseThrow();
    assertThat(theirs.routes().getFirst().provider().endpoint().host()).isEqualTo("proxy.example");
    assertThat(catalog.models()).hasSameSizeAs(models());
  }
}
