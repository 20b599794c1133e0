package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema for editors agrees with the loader. */
final class SchemaTest {
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Settings.schema());

  @ParameterizedTest
  @ValueSource(strings = {"quickstart.yaml", "reference.yaml"})
  void shippedFilesFitTheSchema(String file) throws IOException {
    assertThat(complaints(Files.readString(ShippedFilesTest.folder().resolve(file)))).isEmpty();
  }

  @Test
  void theSchemaFitsItsOwnSpecification() throws IOException {
    JsonSchema meta =
        JsonSchemaFactory.getInstance(VersionFlag.V202012)
            .getSchema(URI.create("https://json-schema.org/draft/2020-12/schema"));
    JsonNode schema = new ObjectMapper().readTree(Settings.schema());
    assertThat(meta.validate(schema)).isEmpty();
    assertThat(
            schema.path("properties").path("store").path("properties").path("url").path("default"))
        .hasToString("\"embedded\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "version: 1\nlisteners: { api: { adress: 'a:1' } }",
        "version: 1\nstore: { pool: { max: many } }",
        "version: 1\nstore: { pool: { max: 0 } }",
        "version: 1\nserver: { shutdown: { delay: 5 } }",
        "version: 1\nserver: { transport: epol }",
        "version: 1\nproviders: { openai: { type: openai, preset: nobody } }",
        "version: 1\nproviders: { openai: { type: azure } }",
        "version: 1\nproviders: { 'Bad Name': { type: mock } }",
        "version: 1\nmodels: { a/b: { modality: chat, price: {}, routes: [] } }",
      })
  void mistakesThatTheLoaderRefusesDoNotFit(String yaml) throws IOException {
    assertThat(InMemoryConfig.of(yaml).problems()).isNotEmpty();
    assertThat(complaints(yaml)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "version: 1\nstore: { pool: { max: \"${POOL:-4}\" } }",
        "version: 1\nserver: { event_loops: 4 }",
        "version: 1\nlisteners: { api: { max_request_bytes: 2048 }, control: { address: null } }",
        "version: 1\nbootstrap: null",
        "version: 1\nbootstrap: { credit: 5 }",
        "version: 1\nproviders: { m: { type: mock } }\n"
            + "models: { a/b: { modality: image, price: { image: '0.04' },"
            + " routes: [{ provider: m, model: x }] } }",
      })
  void shortFormsFitBoth(String yaml) throws IOException {
    assertThat(InMemoryConfig.of(yaml).problems()).isEmpty();
    assertThat(complaints(yaml)).isEmpty();
  }

  private static List<String> complaints(String yaml) throws IOException {
    JsonNode json = new YAMLMapper().readTree(yaml);
    return SCHEMA.validate(json).stream().map(ValidationMessage::toString).toList();
  }
}
