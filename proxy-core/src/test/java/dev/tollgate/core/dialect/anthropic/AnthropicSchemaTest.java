package dev.tollgate.core.dialect.anthropic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.tollgate.core.dialect.ConfiguredModel;
import dev.tollgate.core.dialect.TranslatedRequest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schemas that Anthropic gets, and their edits. */
class AnthropicSchemaTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ConfiguredModel USUAL = ConfiguredModel.of("anthropic", "claude-haiku-4-5");

  private static JsonNode body(TranslatedRequest translated) throws Exception {
    return MAPPER.readTree(translated.body().toString(UTF_8));
  }

  private static TranslatedRequest with(ConfiguredModel model, String members) throws Exception {
    return model.of("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi.\"}]," + members + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"type\":\"string\",\"enum\":[\"a\"]} | {\"type\":\"string\",\"enum\":[\"a\"]}",
        "{\"type\":\"object\",\"properties\":{\"minimum\":{\"type\":[\"null\",\"object\"]}}}"
            + " | {\"type\":\"object\",\"properties\":{\"minimum\":{\"type\":[\"null\",\"object\"],"
            + "\"additionalProperties\":false}},\"additionalProperties\":false}",
        "{\"anyOf\":[{\"type\":\"object\"},{\"const\":{\"type\":\"object\"}}]}"
            + " | {\"anyOf\":[{\"type\":\"object\",\"additionalProperties\":false},"
            + "{\"const\":{\"type\":\"object\"}}]}",
        "{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"integer\"}}"
            + " | {\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"integer\"}}",
        "{\"type\":\"array\",\"minItems\":2} | ``",
        "{\"type\":\"object\",\"additionalProperties\":true} | ``",
        "{\"$defs\":{\"d\":{\"type\":\"number\",\"minimum\":0}},\"$ref\":\"#/$defs/d\"} | ``",
        "{\"anyOf\":[{\"type\":\"string\",\"maxLength\":9}]} | ``"
      })
  void aSchemaIsClosedOrLeftOut(String schema, String sent) throws Exception {
    TranslatedRequest chat =
        with(
            USUAL,
            "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"schema\":"
                + schema
                + "}}");
    JsonNode got = body(chat).path("output_config").path("format").path("schema");
    assertThat(got).isEqualTo(sent.isEmpty() ? MissingNode.getInstance() : MAPPER.readTree(sent));
    assertThat(chat.dropped()).isEqualTo(sent.isEmpty() ? List.of("response_format") : List.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"type\":\"object\"} | {\"type\":\"object\",\"additionalProperties\":false} | true",
        "{\"type\":\"object\",\"maxProperties\":1} | {\"type\":\"object\",\"maxProperties\":1} | false",
        "{\"properties\":{}} | {\"type\":\"object\",\"properties\":{}} | false"
      })
  void aToolIsHeldToASchemaThatIsTaken(String parameters, String sent, boolean strict)
      throws Exception {
    TranslatedRequest chat =
        with(
            USUAL,
            "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"strict\":true,"
                + "\"parameters\":%s}}]".formatted(parameters));
    JsonNode tool = body(chat).path("tools").path(0);
    assertThat(tool.path("input_schema")).isEqualTo(MAPPER.readTree(sent));
    assertThat(tool.path("strict").asBoolean()).isEqualTo(strict);
    assertThat(chat.dropped()).isEqualTo(strict ? List.of() : List.of("tools[0].function.strict"));
  }
}
