package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.catalog.Provider.Rights;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients may do with the operator's account: nothing, unless the operator says so. */
class RightsTest {
  private static JsonNode body(TranslatedRequest chat) throws Exception {
    return new ObjectMapper().readTree(chat.body().toString(UTF_8));
  }

  private static JsonNode body(String json) throws Exception {
    return new ObjectMapper().readTree(json);
  }

  @ParameterizedTest
  @CsvSource({
    "gs://b/c.png, true",
    "https://generativelanguage.googleapis.com/v1beta/files/f.png, true",
    "http://h/a.png, false",
    "https://storage.googleapis.com/b/c.png, false"
  })
  void filesOfTheAccountAreForWhoMayNameThem(String url, boolean isShared) throws Exception {
    String chat =
        """
        {'model':'g/m','cached_content':'cachedContents/x',
         'messages':[{'role':'user','content':[{'type':'text','text':'Q'},
          {'type':'image_url','image_url':{'url':'%s'}}]}]}
        """
            .formatted(url)
            .replace('\'', '"');
    ConfiguredModel model = ConfiguredModel.of("gemini", "gemini-2.5-flash");
    assertThat(model.of(chat).dropped())
        .containsExactlyInAnyOrder("cached_content", "messages[0].content[1]");
    TranslatedRequest shared = model.of(chat, new Rights(true, false));
    assertThat(body(shared).at("/contents/0/parts/1/fileData/fileUri").asText())
        .isEqualTo(isShared ? url : "");
    assertThat(body(shared).path("cachedContent").asText()).isEqualTo("cachedContents/x");
    assertThat(shared.dropped()).hasSize(isShared ? 0 : 1);
  }

  @Test
  void optionsThatAwsBillsSeparatelyNeedARight() throws Exception {
    String chat =
        """
        {'model':'p/m','messages':[{'role':'user','content':'Hi'}],
         'guardrailConfig':{'guardrailIdentifier':'g'},'service_tier':'flex',
         'performanceConfig':{'latency':'optimized'}}
        """
            .replace('\'', '"');
    ConfiguredModel model =
        ConfiguredModel.of("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0");
    assertThat(model.of(chat).dropped())
        .containsExactlyInAnyOrder("guardrailConfig", "service_tier", "performanceConfig");
    assertThat(body(model.of(chat)).has("serviceTier")).isFalse();
    TranslatedRequest chosen = model.of(chat, new Rights(false, true));
    assertThat(chosen.dropped()).isEmpty();
    assertThat(body(chosen).at("/guardrailConfig/guardrailIdentifier").asText()).isEqualTo("g");
    assertThat(body(chosen).at("/serviceTier/type").asText()).isEqualTo("flex");
    assertThat(body(chosen).at("/performanceConfig/latency").asText()).isEqualTo("optimized");
  }

  @Test
  void fieldsThatBedrockHandsToTheModelNeedItToo() throws Exception {
    String chat =
        """
        {"model":"p/m","messages":[{"role":"user","content":"Hi"}],
         "additionalModelRequestFields":{"speed":"fast","Service_Tier":"priority","top_k":5}}
        """;
    ConfiguredModel model =
        ConfiguredModel.of("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0");
    String fields = "/additionalModelRequestFields";
    assertThat(model.of(chat).dropped())
        .containsExactly(
            "additionalModelRequestFields.speed", "additionalModelRequestFields.Service_Tier");
    assertThat(body(model.of(chat)).at(fields)).isEqualTo(body("{\"top_k\":5}"));
    TranslatedRequest chosen = model.of(chat, new Rights(false, true));
    assertThat(chosen.dropped()).isEmpty();
    assertThat(body(chosen).at(fields + "/speed").asText()).isEqualTo("fast");
  }

  @Test
  void anthropicsFastModeNeedsARight() throws Exception {
    String chat =
        """
        {"model":"p/m","messages":[{"role":"user","content":"Hi"}],"speed":"fast",
         "inference_geo":"us","container":"c","mcp_servers":[{"name":"n"}]}
        """;
    ConfiguredModel model = ConfiguredModel.of("anthropic", "claude-opus-4-6");
    assertThat(model.of(chat).dropped())
        .containsExactly("speed", "inference_geo", "container", "mcp_servers");
    assertThat(body(model.of(chat)).has("speed")).isFalse();
    TranslatedRequest chosen = model.of(chat, new Rights(false, true));
    assertThat(chosen.dropped()).containsExactly("container", "mcp_servers");
    assertThat(body(chosen).path("speed").asText()).isEqualTo("fast");
    assertThat(body(chosen).path("inference_geo").asText()).isEqualTo("us");
  }
}
