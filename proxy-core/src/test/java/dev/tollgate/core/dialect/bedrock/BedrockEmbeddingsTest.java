package dev.tollgate.core.dialect.bedrock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests for embeddings as sent to Titan. */
class BedrockEmbeddingsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "v2:0 | \"input\":\"a\",\"dimensions\":256 | {\"inputText\":\"a\",\"dimensions\":256} | -",
        "v1 | \"input\":\"a\",\"dimensions\":256 | {\"inputText\":\"a\"} | dimensions",
        "v2:0 | \"input\":[\"a\"],\"encoding_format\":\"base64\",\"normalize\":false"
            + " | {\"inputText\":\"a\",\"normalize\":false} | -",
        "v2:0 | \"input\":\"a\",\"user\":\"u\" | {\"inputText\":\"a\"} | -"
      })
  void aTextBecomesAVector(String version, String members, String body, String dropped)
      throws InvalidJson {
    byte[] json = ("{" + members + "}").getBytes(UTF_8);
    Route route =
        new Route(
            TestCatalog.ofDialect("bedrock", "beta"), "amazon.titan-embed-text-" + version, 1, 100);
    TranslatedRequest sent =
        Dialects.named("bedrock")
            .embeddings()
            .orElseThrow()
            .request(JsonMembers.of(json, 0, json.length), route);
    assertThat(sent.body().toString(UTF_8)).isEqualTo(body);
    assertThat(String.join(",", sent.dropped())).isEqualTo(dropped == null ? "" : dropped);
  }
}
