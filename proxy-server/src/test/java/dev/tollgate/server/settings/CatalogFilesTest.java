package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.ModelId;
import org.junit.jupiter.api.Test;

/** Catalog files add models and providers to the main file. */
final class CatalogFilesTest {
  private static final String MAIN =
      """
      version: 1
      catalogs: [catalog.yaml, "${MORE:-more.yaml}"]
      providers: { mock: { type: mock } }
      models:
        acme/a: { modality: chat, price: free, routes: [{ provider: mock, model: a }] }
      """;

  private static final String MODEL =
      "{ modality: chat, price: free, routes: [{ provider: mock, model: m }] }";

  @Test
  void modelsOfAllFilesStandInTheOrderOfTheFiles() {
    Settings settings =
        InMemoryConfig.of(MAIN)
            .file("catalog.yaml", "version: 1\nmodels:\n  acme/b: " + MODEL)
            .file(
                "more.yaml", "providers: { two: { type: mock } }\nmodels: { acme/c: " + MODEL + "}")
            .settings();
    assertThat(settings.models().keySet())
        .extracting(ModelId::toString)
        .containsExactly("acme/a", "acme/b", "acme/c");
    assertThat(settings.providers()).hasSize(2);
  }

  @Test
  void problemsOfACatalogNameItsFileAndLine() {
    assertThat(
            InMemoryConfig.of(MAIN)
                .file("catalog.yaml", "models:\n  acme/b: " + MODEL + "\n  acme/x: {}\nstore: {}\n")
                .problems())
        .containsExactly(
            "catalog.yaml:3:3: models.acme/x.modality: is missing",
            "catalog.yaml:3:3: models.acme/x.price: is missing",
            "catalog.yaml:3:3: models.acme/x.routes: is missing",
            "catalog.yaml:4:1: store: a catalog file holds providers and models only",
            "gateway.yaml:2:26: catalogs[1]: the file cannot be read: it does not exist");
  }

  @Test
  void twoCatalogsCannotGiveTheSameEntry() {
    assertThat(
            InMemoryConfig.of(MAIN)
                .file("catalog.yaml", "models:\n  acme/b: " + MODEL)
                .file("more.yaml", "models:\n  acme/b: " + MODEL)
                .problems())
        .containsExactly("more.yaml:2:3: models.acme/b: given twice, first at catalog.yaml:2:3");
  }

  @Test
  void anEntryOfTheMainFileReplacesThatOfACatalogWhole() {
    Settings settings =
        InMemoryConfig.of(MAIN)
            .file(
                "catalog.yaml",
                """
                providers: { mock: { type: openai, base_url: "https://elsewhere.example" } }
                models:
                  acme/a: { modality: chat, name: Not mine, price: { input: 1, output: 1 },
                            routes: [{ provider: mock, model: a }] }
                  acme/b: { modality: chat, price: free, routes: [{ provider: mock, model: b }] }
                """)
            .file("more.yaml", "models:\n  acme/a: " + MODEL)
            .settings();
    ModelSettings mine = settings.models().get(new ModelId("acme", "a"));
    assertThat(mine).isNotNull();
    assertThat(mine.name()).isNull();
    assertThat(mine.price()).isEqualTo(PriceLists.FREE);
    assertThat(settings.models()).hasSize(2);
    assertThat(settings.providers().values())
        .singleElement()
        .isInstanceOf(ProviderSettings.Mock.class);
  }

  @Test
  void aRouteMayLeadToAProviderOfAnotherFile() {
    assertThat(
            InMemoryConfig.of("version: 1\ncatalogs: [c.yaml]\nproviders: { mock: { type: mock } }")
                .file("c.yaml", "models: { acme/b: " + MODEL + " }")
                .problems())
        .isEmpty();
  }

  @Test
  void catalogsCanComeFromTheCommandLine() {
    Settings settings =
        InMemoryConfig.of("version: 1\nproviders: { mock: { type: mock } }")
            .file("c.yaml", "models: { acme/b: " + MODEL + " }")
            .set("catalogs=[c.yaml]")
            .set("models.acme/b.name=B")
            .settings();
    ModelSettings model = settings.models().get(new ModelId("acme", "b"));
    assertThat(model).isNotNull();
    assertThat(model.name()).isEqualTo("B");
  }
}
