package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.ModelNames.Resolution;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models of whole vendors, other names of models, and providers without a key. */
final class WildcardModelsTest {
  private static final String PROVIDERS =
      """
      version: 1
      providers:
        one: { type: openai, base_url: https://one.example/v1, api_key: "${ONE:-}" }
        two: { type: openai, base_url: https://two.example/v1 }
        claude: { type: anthropic, api_key: k }
      models:
      """;
  private static final String OWN =
      "{ modality: chat, price: free, routes: [{ provider: two, model: own }]%s }\n";

  private static InMemoryConfig config(String models) {
    return InMemoryConfig.of(PROVIDERS + models).env("ONE", "sk-one");
  }

  private static Catalog catalog(InMemoryConfig config) {
    return new CatalogBuilder(_ -> 1).build(config.settings());
  }

  private static Model model(Catalog catalog, String id) {
    return catalog.model(ModelId.parse(id).orElseThrow()).orElseThrow();
  }

  @Test
  void aWildcardIsEveryModelOfTheVendorWithItsPriceAndLimits() {
    Catalog catalog =
        catalog(
            config(
                "  openai/gpt-4o-mini: "
                    + OWN.formatted("")
                    + "  openai/*: { routes: [{ provider: one, model: '*', priority: 2 },"
                    + " { provider: two, model: 'openai/*' }] }\n"));
    assertThat(catalog.models()).hasSizeGreaterThan(30);
    assertThat(catalog.models()).allMatch(model -> model.id().vendor().equals("openai"));
    Model model = model(catalog, "openai/gpt-4o");
    assertThat(model.modality()).isEqualTo(Modality.CHAT);
    assertThat(model.name()).isEqualTo("GPT-4o");
    assertThat(model.contextLength()).isEqualTo(128_000);
    assertThat(model.prices().tokens().input()).isEqualTo(2_500_000);
    assertThat(model.capabilities()).contains("vision", "tools");
    assertThat(model.routes())
        .extracting(Route::upstreamModel)
        .containsExactly("openai/gpt-4o", "gpt-4o");
    assertThat(model(catalog, "openai/whisper-1").modality()).isEqualTo(Modality.TRANSCRIPTION);
    assertThat(model(catalog, "openai/gpt-4o-mini").prices()).isEqualTo(PriceList.FREE);
  }

  @Test
  void aCommandReadsTheModelsWithoutTheProviders() {
    String file =
        """
        version: 1
        catalogs: [more.yaml]
        providers: { one: { type: openai, api_key: '${NOT_SET:?set it}' } }
        models: { openai/*: { routes: [{ provider: one, model: '*' }] } }
        """;
    LoadResult loaded =
        InMemoryConfig.of(file)
            .file(
                "more.yaml",
                "providers: { two: { type: openai, api_key: '${NOT_SET:?set it}' } }\n"
                    + "models: { acme/a: "
                    + OWN.formatted("").strip()
                    + " }\n")
            .load(SettingsPart.KEYS);
    assertThat(loaded).isInstanceOf(LoadResult.Valid.class);
    assertThat(((LoadResult.Valid) loaded).settings().models())
        .containsKeys(new ModelId("acme", "a"), new ModelId("openai", "gpt-4o"));
  }

  @Test
  void aStarAloneIsTheNameAtTheVendor() {
    Catalog catalog = catalog(config("  minimax/*: { routes: [{ provider: one, model: '*' }] }\n"));
    assertThat(model(catalog, "minimax/minimax-m3").routes().getFirst().upstreamModel())
        .isEqualTo("MiniMax-M3");
  }

  @Test
  void aRouteThatCannotServeAModelIsLeftOut() {
    Catalog catalog =
        catalog(
            config(
                "  openai/*: { routes: [{ provider: claude, model: '*' },"
                    + " { provider: two, model: '*', priority: 2 }] }\n"
                    + "  google/*: { routes: [{ provider: claude, model: '*' }] }\n"));
    assertThat(model(catalog, "openai/gpt-4o").routes()).hasSize(2);
    assertThat(model(catalog, "openai/tts-1").routes())
        .singleElement()
        .matches(route -> route.provider().id().value().equals("two"));
    assertThat(catalog.models().stream().filter(one -> one.id().vendor().equals("google")))
        .isNotEmpty()
        .allMatch(one -> one.modality() == Modality.CHAT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "openai/*: {} | models.openai/*.routes: is missing",
        "openai/*: { routes: [] } | models.openai/*.routes: must have at least 1 item",
        "openai/*: { routes: [{ provider: one, model: '*' }], price: free }"
            + " | models.openai/*.price: unknown key",
        "openai/*: { routes: [{ provider: none, model: '*' }] }"
            + " | models.openai/*.routes[0].provider: there is no provider none",
        "openai/*: { routes: [{ provider: one, model: gpt-4o }] }"
            + " | models.openai/*.routes[0].model: must have a *",
        "opena/*: { routes: [{ provider: one, model: '*' }] }"
            + " | models.opena/*: the built-in catalog has no model of opena; did you mean openai?",
        "openai/gpt-*: { routes: [{ provider: one, model: '*' }] }"
            + " | models.openai/gpt-*: the key must be <vendor>/<name> or <vendor>/*",
        "'*/*': { routes: [{ provider: one, model: '*' }] }"
            + " | models.*/*: the key must be <vendor>/<name> or <vendor>/*",
      })
  void aWildcardThatIsNoneIsReportedOnce(String entry, String problem) {
    List<String> problems = config("  " + entry + "\n").problems();
    assertThat(problems).singleElement().asString().contains(problem);
    assertThat(problems.getFirst()).startsWith("gateway.yaml:7:");
  }

  @Test
  void aCostThatDoesNotFitAModelIsReported() {
    String route = "{ provider: claude, model: '*', cost: { input: 1 } }";
    assertThat(config("  anthropic/*: { routes: [" + route + "] }\n").problems())
        .isNotEmpty()
        .allMatch(problem -> problem.contains(".routes[0].cost: does not price chat"))
        .allMatch(problem -> problem.startsWith("gateway.yaml:7:"));
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-4o, openai/gpt-4o",
    "openai/gpt-4o, openai/gpt-4o",
    "best, acme/a",
    "gpt-next, acme/a",
    "gpt-4.1, openai/gpt-4.1",
    "a, acme/a",
    "a-b, -",
  })
  void clientsHaveOtherNamesForThem(String name, String id) {
    Catalog catalog =
        catalog(
            config(
                "  acme/a: "
                    + OWN.formatted(", aliases: [best]")
                    + "  openai/*: { routes: [{ provider: one, model: '*' }] }\n"
                    + "model_aliases: [{ match: gpt-n*, model: acme/a },"
                    + " { match: gpt-4.1, model: openai/gpt-4.1 }]\n"));
    Resolution resolution = catalog.names().resolve(name, KeyScope.ALL);
    assertThat(resolution instanceof Resolution.Found found ? found.id() : "-").isEqualTo(id);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "[x-*] | | models.acme/a.aliases[0]: is a pattern: patterns stand in model_aliases",
        "['a b'] | | models.acme/a.aliases[0]: must be a name of visible ASCII characters",
        "[/x] | | models.acme/a.aliases[0]: must be a name of visible ASCII characters",
        "[x, acme/a] | | models.acme/a.aliases[1]: is the id of a model",
        "[x, y, x] | | models.acme/a.aliases[2]: is an alias of acme/a too",
        "[] | { match: x-*, model: acme/b }"
            + " | model_aliases[0].model: there is no model acme/b; did you mean acme/a?",
        "[] | { match: '', model: acme/a } | model_aliases[0].match: must be a pattern of visible",
        "[] | { model: acme/a } | model_aliases[0].match: is missing",
      })
  void aNameThatIsNoneOrOfTwoIsRefused(String aliases, String rule, String problem) {
    String rules = rule == null ? "" : "model_aliases: [" + rule + "]\n";
    assertThat(config("  acme/a: " + OWN.formatted(", aliases: " + aliases) + rules).problems())
        .singleElement()
        .asString()
        .contains(problem);
  }

  @Test
  void thereAreAtMost256Patterns() {
    String rules = "{ match: x, model: acme/a },".repeat(257);
    assertThat(
            config("  acme/a: " + OWN.formatted("") + "model_aliases: [" + rules + "]\n")
                .problems())
        .singleElement()
        .asString()
        .contains("model_aliases: must not have more than 256 entries");
  }

  @Test
  void aModelWithoutAConfiguredProviderIsNone() {
    String models =
        "  acme/a: { modality: chat, price: free, aliases: [best],"
            + " routes: [{ provider: one, model: a }] }\n"
            + "  acme/b: { modality: chat, price: free, routes: [{ provider: one, model: b },"
            + " { provider: two, model: b }] }\n";
    Catalog without = catalog(InMemoryConfig.of(PROVIDERS + models));
    assertThat(without.modelIds()).containsExactly(new ModelId("acme", "b"));
    assertThat(model(without, "acme/b").routes())
        .singleElement()
        .matches(route -> route.provider().id().value().equals("two"));
    assertThat(without.names().resolve("best", KeyScope.ALL))
        .isInstanceOf(Resolution.Unknown.class);
    assertThat(without.providers()).extracting(one -> one.id().value()).doesNotContain("one");
    assertThat(catalog(config(models)).modelIds()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "type: openai, base_url: 'http://h:1', api_key: '${NONE:-}' | false",
        "type: openai, base_url: 'http://h:1', api_key: '${SOME:-}' | true",
        "type: openai, base_url: 'http://h:1', api_key: null | true",
        "type: openai, base_url: 'http://h:1' | true",
        "type: openai, base_url: 'http://h:1', api_keys: ['${NONE:-}'] | false",
        "type: openai, base_url: 'http://h:1', api_keys: ['${NONE:-}', '${SOME:-}'] | true",
        "type: bedrock, region: us-east-1, access_key: '${NONE:-}', secret_key: '${NONE:-}' | false",
        "type: bedrock, region: us-east-1, access_key: '${SOME:-}', secret_key: s | true",
        "type: bedrock, region: us-east-1, api_key: '${NONE:-}' | false",
        "type: vertex, project: p, service_account: '${NONE:-}' | false",
        "type: vertex, project: p | true",
      })
  void aProviderWhoseKeyIsNothingIsNotConfigured(String provider, boolean configured) {
    Catalog catalog =
        catalog(
            InMemoryConfig.of(
                    "version: 1\nproviders: { p: { %s } }\n".formatted(provider)
                        + "models: { a/b: { modality: chat, price: free,"
                        + " routes: [{ provider: p, model: m }] } }")
                .env("SOME", "some-key"));
    assertThat(catalog.models()).hasSize(configured ? 1 : 0);
    assertThat(catalog.providers()).hasSize(configured ? 1 : 0);
  }

  @Test
  void aProviderThatNoModelUsesIsAWarning() {
    assertThat(config("  acme/a: " + OWN.formatted("")).warnings())
        .containsExactly(
            "gateway.yaml:3:8: providers.one: is not used: no model has a route to it",
            "gateway.yaml:5:11: providers.claude: is not used: no model has a route to it");
  }
}
