package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A choice of some of a chat's tools, as each provider gets it. */
class ToolChoiceTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static JsonNode sent(String dialect, String model, String choice, String dropped)
      throws Exception {
    String chat =
        "{'model':'a/b','messages':[{'role':'user','content':'Hi.'}],'tools':["
            + "{'type':'function','function':{'name':'a'}},"
            + "{'type':'function','function':{'name':'b'}}],'tool_choice':"
            + choice
            + "}";
    TranslatedRequest sent = ConfiguredModel.of(dialect, model).of(chat.replace('\'', '"'));
    assertThat(String.join(",", sent.dropped())).isEqualTo(dropped == null ? "" : dropped);
    return MAPPER.readTree(sent.body().toString(UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "anthropic | claude-haiku-4-5 | required | b | /tool_choice | {'type':'any'} | -",
        "anthropic | claude-haiku-4-5 | auto | b | /tool_choice | {'type':'auto'} | -",
        "vertex-anthropic | claude-sonnet-4-6 | required | b | /tool_choice | {'type':'any'} | -",
        "bedrock | us.anthropic.claude-sonnet-4-5-v1:0 | required | b | /toolConfig/toolChoice | {'any':{}} | -",
        "bedrock | mistral.mistral-large-2402-v1:0 | required | b | /toolConfig/toolChoice | {'any':{}} | -",
        "bedrock | us.meta.llama4-scout-17b-instruct-v1:0 | required | b | /toolConfig/toolChoice | - | tool_choice",
        "bedrock | us.meta.llama4-scout-17b-instruct-v1:0 | auto | b | /toolConfig/toolChoice | - | -",
        "gemini | gemini-2.5-flash | required | a,b | /toolConfig/functionCallingConfig"
            + " | {'mode':'ANY','allowedFunctionNames':['b']} | -",
        "gemini | gemini-3-flash-preview | auto | b | /toolConfig/functionCallingConfig | {'mode':'AUTO'} | -",
        "vertex | gemini-2.5-flash | required | a,b | /toolConfig/functionCallingConfig"
            + " | {'mode':'ANY','allowedFunctionNames':['b']} | -",
        "cohere | command-a-03-2025 | required | b | /tool_choice | 'REQUIRED' | -",
        "cohere | command-a-03-2025 | auto | b | /tool_choice | - | -",
        "ollama | qwen3 | required | b | /tool_choice | - | tool_choice",
        "ollama | qwen3 | auto | b | /tool_choice | - | -"
      })
  void onlyTheAllowedToolsMayBeCalled(
      String dialect,
      String model,
      String mode,
      String offered,
      String at,
      String choice,
      String dropped)
      throws Exception {
    String tools = "[{'type':'function','function':{'name':'b'}},{'type':'function','name':'z'}]";
    String inside = "{'mode':'" + mode + "','tools':" + tools + "}";
    String flat = "{'type':'allowed_tools','mode':'" + mode + "','tools':" + tools + "}";
    for (String form :
        new String[] {"{'type':'allowed_tools','allowed_tools':" + inside + "}", flat}) {
      JsonNode body = sent(dialect, model, form, dropped);
      JsonNode declared = body.findValue(dialect.equals("bedrock") ? "toolConfig" : "tools");
      assertThat(String.join(",", declared.findValuesAsText("name"))).isEqualTo(offered);
      JsonNode got = body.at(at);
      assertThat(got.isMissingNode() ? null : got)
          .isEqualTo(choice == null ? null : MAPPER.readTree(choice.replace('\'', '"')));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic, claude-haiku-4-5, /tool_choice/type, none",
    "gemini, gemini-2.5-flash, /toolConfig/functionCallingConfig/mode, NONE",
    "cohere, command-a-03-2025, /tool_choice, NONE",
    "ollama, qwen3, /tools, ''",
    "bedrock, amazon.nova-pro-v1:0, /toolConfig, ''"
  })
  void noneIsCalledWhereNoneIsAllowed(String dialect, String model, String at, String text)
      throws Exception {
    String none = "{'type':'allowed_tools','allowed_tools':{'mode':'auto','tools':[]}}";
    assertThat(sent(dialect, model, none, "").at(at).asText()).isEqualTo(text);
    String impossible = none.replace("auto", "required");
    sent(dialect, model, impossible, "tool_choice");
  }
}
