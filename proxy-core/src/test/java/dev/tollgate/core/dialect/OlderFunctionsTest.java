package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.dialect.tool.ClientTools;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.testkit.ProviderSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** OpenAI's older function calling, as providers without it get it, and its answers. */
class OlderFunctionsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final ToolNameRule GEMINI =
      Dialects.named("gemini").translation().orElseThrow().toolNames();

  /** The same conversation in the older form and with tools. */
  private static final String OLDER =
      """
      "messages":[{"role":"user","content":"Weather?"},
        {"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{\\"c\\":1}"}},
        {"role":"function","name":"look","content":"{\\"temp\\":25}"},
        {"role":"user","content":"And?"},
        {"role":"assistant","content":"I look.","function_call":{"name":"go","arguments":""}},
        {"role":"function","name":"go","content":null}],
      "functions":[{"name":"look","description":"d","parameters":{"type":"object","properties":{}}},
        {"name":"go"}],"function_call":{"name":"look"}\
      """;

  private static final String NEWER =
      """
      "messages":[{"role":"user","content":"Weather?"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",
          "function":{"name":"look","arguments":"{\\"c\\":1}"}}]},
        {"role":"tool","tool_call_id":"call_1","name":"look","content":"{\\"temp\\":25}"},
        {"role":"user","content":"And?"},
        {"role":"assistant","content":"I look.","tool_calls":[{"id":"call_4","type":"function",
          "function":{"name":"go","arguments":""}}]},
        {"role":"tool","tool_call_id":"call_4","name":"go","content":""}],
      "tools":[{"type":"function","function":{"name":"look","description":"d",
          "parameters":{"type":"object","properties":{}}}},
        {"type":"function","function":{"name":"go"}}],
      "tool_choice":{"type":"function","function":{"name":"look"}},"parallel_tool_calls":false\
      """;

  record Asked(ConfiguredModel model, ProviderSchema schema) {}

  static Stream<Asked> providers() {
    return Stream.of(
        new Asked(ConfiguredModel.of("anthropic", "claude-haiku-4-5"), ProviderSchema.ANTHROPIC),
        new Asked(
            ConfiguredModel.of("vertex-anthropic", "claude-sonnet-4-6"), ProviderSchema.ANTHROPIC),
        new Asked(
            ConfiguredModel.of("bedrock", "us.anthropic.claude-sonnet-4-5-v1:0"),
            ProviderSchema.BEDROCK),
        new Asked(ConfiguredModel.of("bedrock", "amazon.nova-pro-v1:0"), ProviderSchema.BEDROCK),
        new Asked(ConfiguredModel.of("gemini", "gemini-2.5-flash"), ProviderSchema.GEMINI),
        new Asked(ConfiguredModel.of("vertex", "gemini-3-flash-preview"), ProviderSchema.GEMINI),
        new Asked(ConfiguredModel.of("cohere", "command-a-03-2025"), ProviderSchema.COHERE),
        new Asked(ConfiguredModel.of("ollama", "qwen3"), ProviderSchema.OLLAMA));
  }

  private static JsonNode body(TranslatedRequest sent) throws Exception {
    return MAPPER.readTree(sent.body().toString(UTF_8));
  }

  @ParameterizedTest
  @MethodSource("providers")
  void functionsAreSentAsTools(Asked asked) throws Exception {
    TranslatedRequest older = asked.model.of("{\"model\":\"a/b\"," + OLDER + "}");
    TranslatedRequest newer = asked.model.of("{\"model\":\"a/b\"," + NEWER + "}");
    assertThat(body(older)).isEqualTo(body(newer));
    assertThat(asked.schema.complaints(older.body().toString(UTF_8))).isEmpty();
    List<String> expected = new ArrayList<>();
    for (String path : newer.dropped()) {
      if (path.equals("tool_choice")) {
        expected.add("function_call");
      }
    }
    assertThat(older.dropped()).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("providers")
  void aFunctionMayAnswerTheCallOfATool(Asked asked) throws Exception {
    String chat =
        """
        {"model":"a/b","messages":[{"role":"user","content":"Q"},
          {"role":"assistant","content":null,"tool_calls":[
            {"id":"c0","type":"function","function":{"name":"look","arguments":"{}"}},
            {"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},
          %s],"tools":[{"type":"function","function":{"name":"look"}}]}
        """;
    String tool = "{\"role\":\"tool\",\"tool_call_id\":\"c0\",\"content\":\"a\"},";
    TranslatedRequest older =
        asked.model.of(
            chat.formatted(
                tool
                    + "{\"role\":\"function\",\"name\":\"look\",\"content\":\"{\\\"temp\\\":25}\"}"));
    TranslatedRequest newer =
        asked.model.of(
            chat.formatted(
                tool
                    + "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"{\\\"temp\\\":25}\"}"));
    assertThat(body(older)).isEqualTo(body(newer));
    assertThat(older.dropped()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("providers")
  void theResultOfNoCallIsTextAndNamed(Asked asked) throws Exception {
    TranslatedRequest sent =
        asked.model.of(
            "{\"messages\":[{\"role\":\"user\",\"content\":\"Q\"},"
                + "{\"role\":\"function\",\"name\":\"f\",\"content\":\"R\"}]}");
    assertThat(sent.dropped()).containsExactly("messages[1].role");
    assertThat(sent.body().toString(UTF_8)).contains("\"R\"").doesNotContain("tool");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"functions\":[{\"name\":\"f\"},7,{\"x\":1}],\"function_call\":\"auto\" | functions[1],functions[2]",
        "\"functions\":[{\"name\":\"f\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"g\"}}] | functions",
        "\"functions\":[],\"function_call\":\"auto\" | function_call",
        "\"functions\":null | ``"
      })
  void whatCannotBeConvertedIsNamedAsTheClientWroteIt(String members, String dropped)
      throws Exception {
    TranslatedRequest sent =
        ConfiguredModel.of("anthropic", "claude-haiku-4-5")
            .of("{\"messages\":[{\"role\":\"user\",\"content\":\"Q\"}]," + members + "}");
    assertThat(String.join(",", sent.dropped())).isEqualTo(dropped);
  }

  // Answers

  private static ReplyTranslation answers() throws Exception {
    byte[] json = "{\"messages\":[],\"functions\":[{\"name\":\"1.f\"}]}".getBytes(UTF_8);
    return ClientTools.converted(JsonMembers.of(json, 0, json.length), GEMINI)
        .restoration()
        .behind(Optional.empty())
        .orElseThrow();
  }

  private static final String NAME = GEMINI.sent("1.f");

  @Test
  void aWholeAnswerCallsTheFunctionInTheOlderForm() throws Exception {
    String reply =
        "{\"id\":\"x\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,"
            + "\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\""
            + NAME
            + "\",\"arguments\":\"{}\"}},{\"id\":\"b\",\"type\":\"function\",\"function\":"
            + "{\"name\":\"g\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}";
    byte[] bytes = reply.getBytes(UTF_8);
    TranslatedReply restored = answers().reply(bytes, bytes.length);
    assertThat(new String(restored.bytes(), 0, restored.length(), UTF_8))
        .isEqualTo(
            "{\"id\":\"x\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                + "\"content\":null,\"function_call\":{\"name\":\"1.f\",\"arguments\":\"{}\"}},"
                + "\"finish_reason\":\"function_call\"}]}");
  }

  @Test
  void aStreamCallsTheFunctionInTheOlderForm() throws Exception {
    List<String> events = new ArrayList<>();
    SseSink sink =
        answers().stream(
            new SseSink() {
              @Override
              public void event(String name, byte[] data, int from, int to) {
                events.add(new String(data, from, to - from, UTF_8));
              }

              @Override
              public void comment() {}

              @Override
              public void oversized(int eventBytesMax) {}
            });
    for (String event :
        List.of(
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hm\"},\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
                + "{\"name\":\""
                + NAME
                + "\",\"arguments\":\"\"}}]},\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":"
                + "{\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":"
                + "{\"name\":\"g\"}}]},\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
            "[DONE]")) {
      byte[] data = event.getBytes(UTF_8);
      sink.event("message", data, 0, data.length);
    }
    assertThat(events)
        .containsExactly(
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hm\"},\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"function_call\":{\"name\":\"1.f\","
                + "\"arguments\":\"\"}},\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"function_call\":{\"arguments\":\"{}\"}},"
                + "\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":null}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"function_call\"}]}",
            "[DONE]");
  }
}
