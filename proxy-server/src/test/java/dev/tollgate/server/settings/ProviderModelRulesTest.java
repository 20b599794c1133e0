package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models that a type of provider can serve, and rights of clients on the operator's account. */
final class ProviderModelRulesTest {
  @ParameterizedTest
  @CsvSource({"google, image, true", "google, embedding, false", "anthropic, image, false"})
  void geminisImagesAreVertexsToo(String publisher, String modality, boolean isServed) {
    var loading =
        InMemoryConfig.of(
            """
            version: 1
            providers: { a: { type: vertex, project: p, publisher: %s } }
            models:
              a/b:
                modality: %s
                price: { input: "1", output: "1" }
                routes: [{ provider: a, model: gemini-3.1-flash-image }]
            """
                .formatted(publisher, modality));
    assertThat(loading.problems().stream().anyMatch(problem -> problem.contains("a has no")))
        .isEqualTo(!isServed);
  }

  @Test
  void whatClientsMayDoWithAnAccountIsNothingUnlessItIsSaid() {
    String file =
        """
        version: 1
        providers:
          shares: { type: gemini, quirks: { own_files: true } }
          pays: { type: bedrock, region: us-east-1, quirks: { priced_options: true } }
          usual: { type: gemini }
          routes: { type: openai, preset: openrouter, quirks: { priced_options: true } }
          speaks: { type: openai, preset: openrouter }
        """;
    assertThat(new CatalogBuilder(_ -> 0).build(InMemoryConfig.of(file).settings()).providers())
        .extracting(provider -> provider.quirks().rights())
        .containsExactlyInAnyOrder(
            new Provider.Rights(true, false),
            new Provider.Rights(false, true),
            Provider.Rights.NONE,
            new Provider.Rights(false, true),
            Provider.Rights.NONE);
  }

  @ParameterizedTest
  @CsvSource({"amazon.titan-embed-text-v2:0, true", "cohere.embed-english-v3, false"})
  void ofBedrockOnlyTitanGivesVectors(String model, boolean isFine) {
    var loading =
        InMemoryConfig.of(
            """
            version: 1
            providers: { a: { type: bedrock, region: us-east-1, api_key: k } }
            models:
              a/b:
                modality: embedding
                price: { input: "1" }
                routes: [{ provider: a, model: "%s" }]
            """
                .formatted(model));
    assertThat(loading.problems().stream().noneMatch(problem -> problem.contains("Titan model")))
        .isEqualTo(isFine);
  }
}
