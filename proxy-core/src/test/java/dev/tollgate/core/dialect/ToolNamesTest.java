package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.dialect.tool.CallRestoration;
import dev.tollgate.core.dialect.tool.ClientTools;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.testkit.ProviderSchema;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Names of tools that a provider refuses: what it gets in their place. */
class ToolNamesTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String LONG =
      "mcp__plugin_company_workspace__batch_update_labels_of_archived_messages";
  private static final List<String> NAMES =
      List.of(
          "plain", "1c_ssl_reload", "a.b:c", "x-y", "größe", "two words", LONG, "n".repeat(200));

  private static ToolNameRule rule(String dialect) {
    return Dialects.named(dialect)
        .translation()
        .map(ChatTranslation::toolNames)
        .orElse(ToolNameRule.OPENAI);
  }

  record Asked(ConfiguredModel model, ToolNameRule rule, ProviderSchema schema) {}

  static Stream<Asked> providers() {
    return Stream.of(
        new Asked(
            ConfiguredModel.of("anthropic", "claude-haiku-4-5"),
            rule("anthropic"),
            ProviderSchema.ANTHROPIC),
        new Asked(
            ConfiguredModel.of("vertex-anthropic", "claude-sonnet-4-6"),
            rule("anthropic"),
            ProviderSchema.ANTHROPIC),
        new Asked(
            ConfiguredModel.of("bedrock", "amazon.nova-pro-v1:0"),
            rule("bedrock"),
            ProviderSchema.BEDROCK),
        new Asked(
            ConfiguredModel.of("gemini", "gemini-2.5-flash"),
            rule("gemini"),
            ProviderSchema.GEMINI),
        new Asked(
            ConfiguredModel.of("vertex", "gemini-3-flash-preview"),
            rule("gemini"),
            ProviderSchema.GEMINI),
        new Asked(
            ConfiguredModel.of("cohere", "command-a-03-2025"),
            rule("cohere"),
            ProviderSchema.COHERE),
        new Asked(ConfiguredModel.of("ollama", "qwen3"), ToolNameRule.ANY, ProviderSchema.OLLAMA));
  }

  private static String chat(String name, String choice) {
    return """
        {"model":"a/b","messages":[{"role":"user","content":"Q"},
          {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",
            "function":{"name":"%1$s","arguments":"{}"}}]},
          {"role":"tool","tool_call_id":"c1","name":"%1$s","content":"done"},
          {"role":"tool","tool_call_id":"c9","name":"%1$s","content":"of no call"}],
         "tools":[{"type":"function","function":{"name":"%1$s"}},
           {"type":"function","function":{"name":"other"}}],"tool_choice":%2$s}
        """
        .formatted(name, choice.replace("NAME", name));
  }

  @ParameterizedTest
  @MethodSource("providers")
  void aNameIsTakenOrHasAStandInEverywhere(Asked asked) throws Exception {
    for (String name : NAMES) {
      for (String choice :
          List.of(
              "{\"type\":\"function\",\"function\":{\"name\":\"NAME\"}}",
              "{\"type\":\"allowed_tools\",\"allowed_tools\":{\"mode\":\"required\",\"tools\":"
                  + "[{\"type\":\"function\",\"function\":{\"name\":\"NAME\"}}]}}")) {
        TranslatedRequest sent = asked.model.of(chat(name, choice));
        String body = sent.body().toString(UTF_8);
        assertThat(asked.schema.complaints(body)).as(body).isEmpty();
        var names = new TreeSet<>(MAPPER.readTree(body).findValuesAsText("name"));
        names.remove("other");
        assertThat(names).containsExactly(asked.rule.sent(name));
        assertThat(body.contains("\"" + name + "\"")).isEqualTo(asked.rule.takes(name));
        assertThat(sent.dropped()).doesNotContain("tools[0]");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "openai, a-b_1, a-b_1",
    "openai, 1a, 1a",
    "openai, a.b, a_b_",
    "bedrock, 1c_ssl_reload, 1c_ssl_reload",
    "gemini, 1c_ssl_reload, _1c_ssl_reload_",
    "gemini, a.b:c-d, a.b:c-d",
    "gemini, -a, _-a_",
    "cohere, a-b, a_b_",
    "anthropic, 'a b', a_b_",
    "ollama, 'a b', 'a b'"
  })
  void aStandInBeginsLikeItsName(String dialect, String name, String sent) {
    ToolNameRule rule = rule(dialect);
    String got = rule.sent(name);
    if (rule.takes(name)) {
      assertThat(got).isEqualTo(name).isEqualTo(sent);
    } else {
      assertThat(got).startsWith(sent);
      assertThat(rule.takes(got)).isTrue();
      assertThat(rule.sent(name)).as("always the same").isEqualTo(got);
    }
  }

  @Test
  void namesThatDifferHaveStandInsThatDiffer() {
    String same = "n".repeat(100);
    assertThat(
            Stream.of(same + "a", same + "b", "a.b", "a b", "a:b", "a_b")
                .map(rule("bedrock")::sent))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("providers")
  void aStandInIsNoNameOfAnotherTool(Asked asked) throws Exception {
    for (String name : NAMES) {
      String other = asked.rule.sent(name);
      if (!asked.rule.takes(name)) {
        String chat = chat(name, "\"auto\"").replace("\"other\"", "\"" + other + "\"");
        String body = asked.model.of(chat).body().toString(UTF_8);
        var names = new TreeSet<>(MAPPER.readTree(body).findValuesAsText("name"));
        assertThat(names).hasSize(2).contains(other).allMatch(asked.rule::takes);
        assertThat(ClientTools.converted(root(chat), asked.rule).restoration().clientNames())
            .containsOnlyKeys(names.stream().filter(one -> !one.equals(other)).toList());
      }
    }
  }

  private static JsonMembers root(String json) throws InvalidJson {
    byte[] bytes = json.getBytes(UTF_8);
    return JsonMembers.of(bytes, 0, bytes.length);
  }

  @Test
  void aWholeReplyHasTheClientsNames() throws Exception {
    ClientTools tools = ClientTools.named(root(chat("1.x", "\"auto\"")), rule("bedrock"));
    String reply =
        "{\"choices\":[{\"index\":0,\"message\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\""
            + rule("bedrock").sent("1.x")
            + "\",\"arguments\":\"{}\"}},{\"id\":\"b\",\"function\":{\"name\":\"other\"}}]}}]}";
    byte[] bytes = reply.getBytes(UTF_8);
    TranslatedReply restored =
        tools.restoration().behind(Optional.empty()).orElseThrow().reply(bytes, bytes.length);
    JsonNode got = MAPPER.readTree(restored.bytes(), 0, restored.length());
    assertThat(got.findValuesAsText("name")).containsExactly("1.x", "other");
  }

  @Test
  void aChatWhoseNamesAreTakenIsNotTouched() throws Exception {
    JsonMembers chat = root(chat("plain", "\"auto\""));
    ClientTools tools = ClientTools.converted(chat, rule("cohere"));
    assertThat(tools.chat()).isSameAs(chat);
    assertThat(tools.restoration()).isEqualTo(CallRestoration.NONE);
    assertThat(tools.restoration().behind(Optional.empty())).isEmpty();
  }
}
