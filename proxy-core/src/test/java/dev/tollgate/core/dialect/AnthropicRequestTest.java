package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.catalog.Thinking;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chats as sent to Anthropic: each feature and the JSON that it becomes. */
class AnthropicRequestTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String HI = "[{\"role\":\"user\",\"content\":\"Hi.\"}]";
  private static final ConfiguredModel USUAL = ConfiguredModel.of("anthropic", "claude-haiku-4-5");

  private static JsonNode body(TranslatedRequest translated) throws Exception {
    return MAPPER.readTree(translated.body().toString(UTF_8));
  }

  /** The members of a body beside model, max_tokens and messages. */
  private static JsonNode extras(TranslatedRequest translated) throws Exception {
    ObjectNode body = (ObjectNode) body(translated);
    assertThat(body.path("max_tokens").isIntegralNumber()).isTrue();
    return body.without(List.of("model", "max_tokens", "messages"));
  }

  private static TranslatedRequest with(ConfiguredModel model, String members) throws Exception {
    return model.of("{\"model\":\"a/m\",\"messages\":" + HI + "," + members + "}");
  }

  private static void assertTurns(String messages, String system, String turns, String... dropped)
      throws Exception {
    TranslatedRequest chat = USUAL.of("{\"model\":\"a/m\",\"messages\":" + messages + "}");
    assertThat(chat.dropped()).containsExactly(dropped);
    JsonNode body = body(chat);
    assertThat(body.path("messages")).isEqualTo(MAPPER.readTree(turns));
    assertThat(body.path("system"))
        .isEqualTo(system.isEmpty() ? MissingNode.getInstance() : MAPPER.readTree(system));
  }

  @Test
  void aPlainChatIsAMessage() throws Exception {
    TranslatedRequest chat =
        USUAL.of(
            "{\"model\":\"a/m\",\"routing\":\"cost\",\"stream\":true,\"stream_options\":null,"
                + "\"n\":1,\"messages\":"
                + HI
                + "}");
    assertThat(chat.dropped()).isEmpty();
    assertThat(body(chat))
        .isEqualTo(
            MAPPER.readTree(
                """
                {"model":"claude-haiku-4-5","max_tokens":4096,"stream":true,
                 "messages":[{"role":"user","content":[{"type":"text","text":"Hi."}]}]}\
                """));
  }

  @Test
  void whatTheSystemSaysStandsAlone() throws Exception {
    assertTurns(
        """
        [{"role":"system","content":"Be \\u0062rief."},
         {"role":"user","content":"One."},
         {"role":"developer","content":[{"type":"text","text":"Now be long.",
            "cache_control":{"type":"ephemeral"}},{"type":"text","text":""}]},
         {"role":"user","content":"Two."}]
        """,
        """
        [{"type":"text","text":"Be brief."},
         {"type":"text","text":"Now be long.","cache_control":{"type":"ephemeral"}}]
        """,
        """
        [{"role":"user","content":[{"type":"text","text":"One."},{"type":"text","text":"Two."}]}]
        """);
  }

  @Test
  void imagesAndDocumentsAreBlocks() throws Exception {
    assertTurns(
        """
        [{"role":"user","content":[
          {"type":"text","text":"What is it?"},
          {"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR/0+=","detail":"low"}},
          {"type":"image_url","image_url":{"url":"data:image\\/jpeg;base64,\\/9j\\/"}},
          {"type":"image_url","image_url":{"url":"data:image/JPG;base64,/9j"}},
          {"type":"image_url","image_url":{"url":"https://a.example/b.png"},
           "cache_control":{"type":"ephemeral","ttl":"1h"}},
          {"type":"file","file":{"filename":"a.pdf",
           "file_data":"data:application/pdf;base64,JVBERi0="}},
          {"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}]}]
        """,
        "",
        """
        [{"role":"user","content":[
          {"type":"text","text":"What is it?"},
          {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBOR/0+="}},
          {"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j/"}},
          {"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j"}},
          {"type":"image","source":{"type":"url","url":"https://a.example/b.png"},
           "cache_control":{"type":"ephemeral","ttl":"1h"}},
          {"type":"document","source":{"type":"base64","media_type":"application/pdf",
           "data":"JVBERi0="},"title":"a.pdf"},
          {"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}]}]
        """);
  }

  @Test
  void callsAndTheirResultsAreTurns() throws Exception {
    assertTurns(
        """
        [{"role":"user","content":"Weather?"},
         {"role":"assistant","content":"I look.","tool_calls":[
           {"id":"call_1","type":"function","function":{"name":"f","arguments":"{\\"a\\": [1]}"}},
           {"id":"functions.g:1","type":"function","function":{"name":"g","arguments":""}},
           {"id":"call_3","type":"function","function":{"name":"h","arguments":"{broken"}}]},
         {"role":"tool","tool_call_id":"call_1","content":"Sun."},
         {"role":"tool","tool_call_id":"functions.g:1","content":[{"type":"text","text":"Rain."}]},
         {"role":"tool","tool_call_id":"call_3","content":"","is_error":true},
         {"role":"user","content":"And now?"},
         {"role":"assistant","content":null},
         {"role":"user","content":"Well?"}]
        """,
        "",
        """
        [{"role":"user","content":[{"type":"text","text":"Weather?"}]},
         {"role":"assistant","content":[{"type":"text","text":"I look."},
           {"type":"tool_use","id":"call_1","name":"f","input":{"a":[1]}},
           {"type":"tool_use","id":"functions_g_1","name":"g","input":{}},
           {"type":"tool_use","id":"call_3","name":"h","input":{"arguments":"{broken"}}]},
         {"role":"user","content":[
           {"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"Sun."}]},
           {"type":"tool_result","tool_use_id":"functions_g_1",
            "content":[{"type":"text","text":"Rain."}]},
           {"type":"tool_result","tool_use_id":"call_3","is_error":true},
           {"type":"text","text":"And now?"},
           {"type":"text","text":"Well?"}]}]
        """);
  }

  @Test
  void reasoningIsSentBackWithItsSignatures() throws Exception {
    assertTurns(
        """
        [{"role":"user","content":"Think."},
         {"role":"assistant","content":"So.","reasoning_content":"a b","reasoning_details":[
           {"type":"reasoning.text","index":0,"text":"a "},
           {"type":"reasoning.text","index":0,"text":"b"},
           {"type":"reasoning.text","index":0,"signature":"s1"},
           {"type":"reasoning.encrypted","index":1,"data":"x"},
           {"type":"reasoning.text","text":"foreign","signature":"q","format":"openai-responses"},
           {"type":"reasoning.text","text":"unsigned"}]},
         {"role":"assistant","content":"Yes.","thinking_blocks":[
           {"type":"thinking","thinking":"c","signature":"s2"},{"type":"thinking","thinking":"d"}]},
         {"role":"user","content":"More."}]
        """,
        "",
        """
        [{"role":"user","content":[{"type":"text","text":"Think."}]},
         {"role":"assistant","content":[
           {"type":"thinking","thinking":"a b","signature":"s1"},
           {"type":"redacted_thinking","data":"x"},
           {"type":"text","text":"So."},
           {"type":"thinking","thinking":"c","signature":"s2"},
           {"type":"text","text":"Yes."}]},
         {"role":"user","content":[{"type":"text","text":"More."}]}]
        """,
        "messages[1].reasoning_details",
        "messages[2].thinking_blocks");
  }

  @Test
  void anAnswerThatIsToBeContinuedEndsInNoWhiteSpace() throws Exception {
    assertTurns(
        """
        [{"role":"user","content":"Go."},{"role":"assistant","content":"Once \\n"}]
        """,
        "",
        """
        [{"role":"user","content":[{"type":"text","text":"Go."}]},
         {"role":"assistant","content":[{"type":"text","text":"Once"}]}]
        """);
  }

  @Test
  void whereTheAssistantBeginsTheUserWasSilent() throws Exception {
    assertTurns(
        """
        [{"role":"assistant","content":"Hi."},{"role":"user","content":"Go."}]
        """,
        "",
        """
        [{"role":"user","content":[{"type":"text","text":"..."}]},
         {"role":"assistant","content":[{"type":"text","text":"Hi."}]},
         {"role":"user","content":[{"type":"text","text":"Go."}]}]
        """);
  }

  @Test
  void partsThatItCannotReadAreDroppedAndNamed() throws Exception {
    TranslatedRequest chat =
        USUAL.of(
            """
            {"messages":[{"role":"system","content":[{"type":"image_url","image_url":{}}]},
              {"role":"user","content":[{"type":"input_audio","input_audio":{"data":"","format":"wav"}},
                {"type":"file","file":{"file_id":"f1"}},{"type":"text","text":"Hi."}]}]}
            """);
    assertThat(chat.dropped())
        .containsExactly(
            "messages[0].content[0]", "messages[1].content[0]", "messages[1].content[1]");
    assertThat(body(chat).path("messages"))
        .isEqualTo(
            MAPPER.readTree(
                "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi.\"}]}]"));
  }

  @Test
  void toolsKeepTheirSchemas() throws Exception {
    TranslatedRequest chat =
        with(
            USUAL.able("tools"),
            """
            "tools":[
              {"type":"function","function":{"name":"f","description":"d","strict":true,
               "parameters":{"type":"object","properties":{"z":{"type":"integer"}}}},
               "cache_control":{"type":"ephemeral"}},
              {"type":"custom","custom":{"name":"c"}},
              {"type":"function","function":{"name":"g"}}]
            """);
    assertThat(chat.dropped()).containsExactly("tools[0].function.strict", "tools[1]");
    assertThat(extras(chat))
        .isEqualTo(
            MAPPER.readTree(
                """
                {"tools":[
                  {"name":"f","description":"d",
                   "input_schema":{"type":"object","properties":{"z":{"type":"integer"}}},
                   "cache_control":{"type":"ephemeral"}},
                  {"name":"g","input_schema":{"type":"object","properties":{}}}]}
                """));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"tool_choice\":\"auto\"|{\"type\":\"auto\"}|",
        "\"tool_choice\":\"none\",\"parallel_tool_calls\":false|{\"type\":\"none\"}|",
        "\"tool_choice\":\"required\"|{\"type\":\"any\"}|",
        "\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}}"
            + "|{\"type\":\"tool\",\"name\":\"f\"}|",
        "\"tool_choice\":\"required\",\"parallel_tool_calls\":false"
            + "|{\"type\":\"any\",\"disable_parallel_tool_use\":true}|",
        "\"parallel_tool_calls\":false|{\"type\":\"auto\",\"disable_parallel_tool_use\":true}|",
        "\"parallel_tool_calls\":true||",
        "\"tool_choice\":{\"type\":\"allowed_tools\"}||tool_choice",
      })
  void aToolChoiceIsPutInItsWords(String members, String choice, String dropped) throws Exception {
    String tools = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],";
    TranslatedRequest chat = with(USUAL, tools + members);
    JsonNode got = body(chat).path("tool_choice");
    assertThat(got.isMissingNode() ? null : got)
        .isEqualTo(choice == null ? null : MAPPER.readTree(choice));
    assertThat(chat.dropped()).isEqualTo(dropped == null ? List.of() : List.of(dropped));
    assertThat(body(with(USUAL, members)).has("tool_choice")).as("without tools").isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"temperature\":0.70|{\"temperature\":0.70}|",
        "\"temperature\":1.7|{\"temperature\":1}|temperature",
        "\"top_p\":0.5|{\"top_p\":0.5}|",
        "\"top_p\":0.5,\"temperature\":0|{\"temperature\":0}|top_p",
        "\"top_p\":1,\"temperature\":0|{\"temperature\":0}|",
        "\"top_k\":5|{\"top_k\":5}|",
        "\"stop\":\"END\"|{\"stop_sequences\":[\"END\"]}|",
        "\"stop\":[\"A\",\" \"]|{\"stop_sequences\":[\"A\"]}|stop",
        "\"stop\":null|{}|",
        "\"user\":\"u1\"|{\"metadata\":{\"user_id\":\"u1\"}}|",
        "\"metadata\":{\"a\":\"b\"}|{}|",
        "\"metadata\":{\"user_id\":\"b\"},\"user\":\"u\"|{\"metadata\":{\"user_id\":\"b\"}}|",
        "\"service_tier\":\"default\"|{\"service_tier\":\"standard_only\"}|",
        "\"service_tier\":\"flex\"|{}|service_tier",
        "\"cache_control\":{\"type\":\"ephemeral\"}|{\"cache_control\":{\"type\":\"ephemeral\"}}|",
        "\"presence_penalty\":0,\"frequency_penalty\":0.0,\"logprobs\":false,\"logit_bias\":{}|{}|",
        "\"modalities\":[\"text\"],\"store\":false,\"functions\":[]|{}|",
        "\"frequency_penalty\":0.1|{}|frequency_penalty",
        "\"presence_penalty\":-1|{}|presence_penalty",
        "\"seed\":0|{}|seed",
        "\"logprobs\":true|{}|logprobs",
        "\"logit_bias\":{\"1\":2}|{}|logit_bias",
        "\"audio\":{\"voice\":\"x\"}|{}|audio",
        "\"something_new\":\"x\"|{}|something_new",
        "\"response_format\":{\"type\":\"text\"}|{}|",
        "\"response_format\":{\"type\":\"json_object\"}|{}|response_format",
        "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":"
            + "{\"type\":\"object\",\"properties\":{}}}}|{\"output_config\":{\"format\":{\"type\":\"json_schema\","
            + "\"schema\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}}}}|",
      })
  void aParameterIsTranslatedOrDropped(String member, String extras, String dropped)
      throws Exception {
    TranslatedRequest chat = with(USUAL, member);
    assertThat(extras(chat)).isEqualTo(MAPPER.readTree(extras));
    assertThat(chat.dropped()).isEqualTo(dropped == null ? List.of() : List.of(dropped));
  }

  @Test
  void aSchemaNeedsAModelThatKeepsIt() throws Exception {
    String format =
        "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"schema\":{\"a\":1}}}";
    assertThat(with(USUAL.able("tools"), format).dropped()).containsExactly("response_format");
    assertThat(with(USUAL.able("json_schema"), format).dropped()).isEmpty();
  }

  @Test
  void argumentsAreAnObjectAndTheMessagesMarkIsItsLastParts() throws Exception {
    String parameters = "\"parameters\":{\"properties\":{}}";
    JsonNode tool =
        body(with(
                USUAL,
                "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\","
                    + parameters
                    + "}}]"))
            .path("tools")
            .path(0);
    assertThat(tool.path("input_schema"))
        .isEqualTo(MAPPER.readTree("{\"type\":\"object\",\"properties\":{}}"));
    assertTurns(
        """
        [{"role":"user","cache_control":{"type":"ephemeral"},"content":[
           {"type":"text","text":"A"},{"type":"image_url","image_url":{"url":"https://h/i"}}]},
         {"role":"assistant","cache_control":{"type":"ephemeral"},"content":"B "}]
        """,
        "",
        """
        [{"role":"user","content":[{"type":"text","text":"A"},{"type":"image","source":
           {"type":"url","url":"https://h/i"},"cache_control":{"type":"ephemeral"}}]},
         {"role":"assistant","content":[
           {"type":"text","text":"B","cache_control":{"type":"ephemeral"}}]}]
        """);
  }

  @Test
  void whereOnlyTheSystemSpeaksItsLastWordIsTheUsers() throws Exception {
    assertTurns(
        """
        [{"role":"system","content":"A"},{"role":"developer","content":"B"}]
        """,
        "[{\"type\":\"text\",\"text\":\"A\"}]",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"B\"}]}]");
  }

  @ParameterizedTest
  @CsvSource({
    "0, '', 4096",
    "8192, '', 8192",
    "0, '\"max_tokens\":7,', 7",
    "0, '\"max_completion_tokens\":9,', 9",
    "8192, '\"max_tokens\":5,\"max_completion_tokens\":6,', 6",
  })
  void itStatesHowMuchToWrite(int outputMax, String members, int expected) throws Exception {
    TranslatedRequest chat = with(USUAL.atMost(outputMax), members + "\"n\":1");
    assertThat(body(chat).path("max_tokens").intValue()).isEqualTo(expected);
    assertThat(chat.dropped()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'\"reasoning_effort\":\"low\",\"max_tokens\":10000', 2000",
    "'\"reasoning_effort\":\"medium\",\"max_tokens\":10000', 5000",
    "'\"reasoning_effort\":\"high\",\"max_tokens\":10000', 8000",
    "'\"reasoning_effort\":\"xhigh\",\"max_tokens\":100000', 32000",
    "'\"reasoning_effort\":\"low\",\"max_tokens\":2000', 1024",
    "'\"reasoning\":{\"max_tokens\":3000},\"max_tokens\":10000', 3000",
    "'\"reasoning\":{\"enabled\":true},\"max_tokens\":10000', 5000",
  })
  void anEffortIsABudget(String members, int budget) throws Exception {
    TranslatedRequest chat = with(USUAL.able("reasoning"), members);
    assertThat(chat.dropped()).isEmpty();
    assertThat(extras(chat))
        .isEqualTo(
            MAPPER.readTree(
                "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":" + budget + "}}"));
  }

  @Test
  void newerModelsReasonAdaptively() throws Exception {
    TranslatedRequest chat = with(USUAL.named("claude-opus-4-7"), "\"reasoning_effort\":\"high\"");
    assertThat(extras(chat))
        .isEqualTo(
            MAPPER.readTree(
                """
                {"thinking":{"type":"adaptive","display":"summarized"},
                 "output_config":{"effort":"high"}}
                """));
    assertThat(with(USUAL.thinking(Thinking.NONE), "\"reasoning_effort\":\"high\"").dropped())
        .containsExactly("reasoning_effort");
  }

  @Test
  void aModelWithoutReasoningIsNotAskedToReason() throws Exception {
    String wish = "\"reasoning_effort\":\"high\",\"max_tokens\":9000";
    String forced =
        ",\"tool_choice\":\"required\","
            + "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]";
    assertThat(with(USUAL.able("tools"), wish).dropped()).containsExactly("reasoning_effort");
    assertThat(with(USUAL, wish + forced).dropped()).containsExactly("reasoning_effort");
    assertThat(with(USUAL, "\"reasoning_effort\":\"high\",\"max_tokens\":1024").dropped())
        .containsExactly("reasoning_effort");
    assertThat(with(USUAL, "\"reasoning_effort\":\"none\"").dropped()).isEmpty();
    assertThat(with(USUAL, "\"reasoning\":{\"enabled\":false,\"effort\":\"low\"}").dropped())
        .isEmpty();
  }

  @Test
  void anAnswerAmidToolsThinksOnlyIfItDidBefore() throws Exception {
    String chat =
        """
        {"reasoning_effort":"high","max_tokens":9000,"messages":[{"role":"user","content":"x"},
         {"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]%s},
         {"role":"tool","tool_call_id":"1","content":"y"}]}
        """;
    String thoughts =
        ",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"t\",\"signature\":\"s\"}]";
    assertThat(USUAL.of(chat.formatted("")).dropped()).containsExactly("reasoning_effort");
    assertThat(USUAL.of(chat.formatted(thoughts)).dropped()).isEmpty();
    assertThat(USUAL.named("claude-sonnet-4-6").of(chat.formatted("")).dropped()).isEmpty();
    for (String nothing :
        List.of(
            "\"reasoning_details\":[]",
            "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"t\"}]",
            "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"t\","
                + "\"signature\":\"s\",\"format\":\"openai-responses-v1\"}]",
            "\"reasoning_details\":[{\"type\":\"reasoning.encrypted\"}]",
            "\"thinking_blocks\":[{\"type\":\"thinking\",\"thinking\":\"t\"}]")) {
      assertThat(USUAL.of(chat.formatted("," + nothing)).dropped())
          .as(nothing)
          .startsWith("reasoning_effort");
    }
    String blocks =
        ",\"reasoning_details\":[],\"thinking_blocks\":[{\"type\":\"redacted_thinking\",\"data\":\"d\"}]";
    TranslatedRequest begun = USUAL.of(chat.formatted(blocks));
    assertThat(begun.dropped()).isEmpty();
    assertThat(begun.body().toString(UTF_8)).contains("\"redacted_thinking\"", "\"thinking\"");
  }

  @Test
  void reasoningExcludesATemperature() throws Exception {
    String wish = "\"reasoning_effort\":\"low\",\"max_tokens\":9000,";
    TranslatedRequest chat = with(USUAL, wish + "\"temperature\":0.2,\"top_p\":0.97,\"top_k\":3");
    assertThat(chat.dropped()).containsExactly("temperature", "top_k");
    assertThat(extras(chat).path("top_p").doubleValue()).isEqualTo(0.97);
    assertThat(with(USUAL, wish + "\"temperature\":1,\"top_p\":0.2").dropped())
        .containsExactly("top_p");
    assertThat(with(USUAL.named("claude-opus-4-7"), "\"temperature\":0.2,\"top_p\":1").dropped())
        .containsExactly("temperature");
  }

  @Test
  void whatIsAnthropicsOwnPassesThrough() throws Exception {
    String own =
        "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000},"
            + "\"output_config\":{\"effort\":\"low\"}";
    TranslatedRequest chat = with(USUAL, own + ",\"temperature\":0.5,\"reasoning_effort\":\"low\"");
    assertThat(extras(chat)).isEqualTo(MAPPER.readTree("{" + own + "}"));
    assertThat(chat.dropped()).containsExactly("temperature");
  }

  @Test
  void whatIsDroppedIsNotNamedWithoutEnd() throws Exception {
    StringBuilder members = new StringBuilder("\"" + "x".repeat(900) + "\":1");
    for (int i = 0; i < 100; i++) {
      members.append(",\"unknown_").append(i).append("\":1");
    }
    assertThat(with(USUAL, members.toString()).dropped())
        .hasSize(17)
        .endsWith("+85")
        .allSatisfy(path -> assertThat(path).hasSizeLessThanOrEqualTo(100));
  }
}
