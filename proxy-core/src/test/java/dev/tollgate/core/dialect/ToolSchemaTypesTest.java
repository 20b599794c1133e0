package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.json.InvalidJson;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Translated providers get a schema of an object for every tool, whatever the client's type. */
class ToolSchemaTypesTest {
  private static final List<String> MODELS =
      List.of(
          "anthropic claude-haiku-4-5",
          "vertex-anthropic claude-sonnet-4-6",
          "bedrock us.anthropic.claude-haiku-4-5-v1:0",
          "bedrock us.amazon.nova-pro-v1:0",
          "bedrock openai.gpt-oss-120b-1:0",
          "gemini gemini-2.5-flash",
          "vertex gemini-3-flash-preview",
          "cohere command-a-03-2025",
          "ollama qwen3");

  private static final List<String> OTHER_TYPES =
      List.of(
          "{'type':'string'}",
          "{'type':'string','enum':['a']}",
          "{'type':['string','null']}",
          "{'type':'array','items':{'type':'string'}}",
          "{'type':'OBJECT','properties':{'a':{'type':'STRING'}}}",
          "{'type':'number','oneOf':[{'minimum':1}]}");

  private static final List<String> OBJECTS =
      List.of(
          "{}",
          "{'properties':{}}",
          "{'type':''}",
          "{'type':null}",
          "{'description':'d'}",
          "{'type':['object','null'],'properties':{'a':{'type':'string'}}}",
          "{'properties':{'a':{'type':'string'}},'required':['a']}");

  static Stream<Arguments> otherTypes() {
    return Stream.of(false, true)
        .flatMap(
            strict ->
                MODELS.stream()
                    .flatMap(
                        model ->
                            OTHER_TYPES.stream()
                                .map(schema -> Arguments.of(model, schema, strict))));
  }

  static Stream<Arguments> objects() {
    return MODELS.stream()
        .flatMap(
            model ->
                OBJECTS.stream()
                    .flatMap(
                        schema ->
                            Stream.of(false, true)
                                .map(strict -> Arguments.of(model, schema, strict))));
  }

  private static TranslatedRequest sent(String model, String schema, boolean strict)
      throws InvalidJson {
    String[] names = model.split(" ", 2);
    String chat =
        "{'messages':[{'role':'user','content':'a'}],'tools':[{'type':'function','function':"
            + "{'name':'f','strict':%b,'parameters':%s}}]}".formatted(strict, schema);
    return ConfiguredModel.of(names[0], names[1])
        .able("json_schema", "tools")
        .of(chat.replace('\'', '"'));
  }

  private static JsonNode schema(TranslatedRequest request) {
    JsonNode body = ClientView.tree(request.body().toString(UTF_8));
    return Stream.of("input_schema", "inputSchema", "parametersJsonSchema", "parameters")
        .map(body::findValue)
        .filter(found -> found != null)
        .map(found -> found.has("json") ? found.get("json") : found)
        .findFirst()
        .orElseGet(() -> ClientView.tree("{\"type\":\"object\"}")); // implied where it is absent
  }

  @ParameterizedTest
  @MethodSource("otherTypes")
  void aSchemaOfAnotherTypeIsNamedAndReplaced(String model, String schema, boolean strict)
      throws InvalidJson {
    TranslatedRequest request = sent(model, schema, strict);
    assertThat(schema(request).toString()).isEqualTo("{\"type\":\"object\",\"properties\":{}}");
    assertThat(request.dropped()).contains("tools[0].function.parameters");
  }

  @ParameterizedTest
  @MethodSource("objects")
  void anObjectWithoutItsTypeGetsIt(String model, String schema, boolean strict)
      throws InvalidJson {
    TranslatedRequest request = sent(model, schema, strict);
    assertThat(schema(request).path("type").asText()).isEqualTo("object");
    assertThat(request.dropped())
        .isSubsetOf(strict ? List.of("tools[0].function.strict") : List.of());
  }
}
