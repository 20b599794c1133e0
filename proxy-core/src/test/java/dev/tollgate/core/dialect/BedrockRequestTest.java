package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chats as sent to Converse. */
class BedrockRequestTest {
  private static final Dialect BEDROCK = Dialects.named("bedrock");
  private static final String CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
  private static final String PROFILE =
      "arn:aws:bedrock:us-east-1:1:application-inference-profile/x";
  private static final String MARK = "\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}";
  private static final String HELLO = "{\"role\":\"user\",\"content\":\"Hello\"}";
  private static final String CALL =
      "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call.1\",\"type\":"
          + "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}";

  private static JsonMembers root(String json) throws InvalidJson {
    byte[] bytes = json.getBytes(UTF_8);
    return JsonMembers.of(bytes, 0, bytes.length);
  }

  private static Route route(String model) {
    return new Route(TestCatalog.ofDialect("bedrock", "beta"), model, 1, 100);
  }

  private static TranslatedRequest chat(String model, String messages, String members)
      throws InvalidJson {
    String more = members.isEmpty() ? "" : "," + members;
    return ConfiguredModel.of("bedrock", model)
        .of("{\"model\":\"a/b\",\"messages\":[" + messages + "]" + more + "}");
  }

  /** The messages as they are sent. */
  private static String messages(String messages) throws InvalidJson {
    return member(chat(CLAUDE, messages, ""), "messages");
  }

  private static String member(TranslatedRequest sent, String name) throws InvalidJson {
    JsonMembers body = root(sent.body().toString(UTF_8));
    int i = body.indexOf(name);
    return i < 0 ? "" : body.text(i);
  }

  @Test
  void aChatIsTheSystemThenTurns() throws InvalidJson {
    TranslatedRequest sent =
        chat(
            CLAUDE,
            "{\"role\":\"system\",\"content\":\"Be kind.\"},"
                + HELLO
                + ",{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Who?\"},"
                + "{\"type\":\"text\",\"text\":\" \\n\"}]},"
                + "{\"role\":\"assistant\",\"content\":\"I.\"},"
                + "{\"role\":\"developer\",\"content\":\"Be short.\"},"
                + HELLO,
            "");
    assertThat(sent.body().toString(UTF_8))
        .isEqualTo(
            "{\"system\":[{\"text\":\"Be kind.\"},{\"text\":\"Be short.\"}],\"messages\":["
                + "{\"role\":\"user\",\"content\":[{\"text\":\"Hello\"},{\"text\":\"Who?\"}]},"
                + "{\"role\":\"assistant\",\"content\":[{\"text\":\"I.\"}]},"
                + "{\"role\":\"user\",\"content\":[{\"text\":\"Hello\"}]}],"
                + "\"inferenceConfig\":{}}");
    assertThat(sent.dropped()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,aGk=\"}}"
            + " | {\"image\":{\"format\":\"png\",\"source\":{\"bytes\":\"aGk=\"}}}",
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/jpg;base64,aGk=\"}}"
            + " | {\"image\":{\"format\":\"jpeg\",\"source\":{\"bytes\":\"aGk=\"}}}",
        "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/gif\",\"data\":\"aGk=\"}}"
            + " | {\"image\":{\"format\":\"gif\",\"source\":{\"bytes\":\"aGk=\"}}}",
        "{\"type\":\"video_url\",\"video_url\":{\"url\":\"data:video/mp4;base64,aGk=\"}}"
            + " | {\"video\":{\"format\":\"mp4\",\"source\":{\"bytes\":\"aGk=\"}}}",
        "{\"type\":\"file\",\"file\":{\"filename\":\"a_b.c  d.pdf\",\"file_data\":\"data:application/pdf;base64,aGk=\"}}"
            + " | {\"document\":{\"format\":\"pdf\",\"name\":\"a-b-c d\",\"source\":{\"bytes\":\"aGk=\"}}},{\"text\":\"...\"}",
        "{\"type\":\"file\",\"file\":{\"file_data\":\"data:text/csv;base64,aGk=\"}}"
            + " | {\"document\":{\"format\":\"csv\",\"name\":\"document\",\"source\":{\"bytes\":\"aGk=\"}}},{\"text\":\"...\"}",
        "{\"type\":\"text\",\"text\":\"x\",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}}"
            + " | {\"text\":\"x\"},{\"cachePoint\":{\"type\":\"default\",\"ttl\":\"1h\"}}"
      })
  void whatIsNoTextIsCopiedAsItStands(String part, String block) throws InvalidJson {
    assertThat(messages("{\"role\":\"user\",\"content\":[" + part + "]}"))
        .isEqualTo("[{\"role\":\"user\",\"content\":[" + block + "]}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a/b.png\"}}",
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"s3://bucket/b.png\"}}",
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/bmp;base64,aGk=\"}}",
        "{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"s3://b/c\"}}",
        "{\"type\":\"file\",\"file\":{\"file_id\":\"file-1\"}}",
        "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"aGk=\",\"format\":\"wav\"}}"
      })
  void whatCannotBeSentIsNamed(String part) throws InvalidJson {
    TranslatedRequest sent =
        chat(
            CLAUDE,
            "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}," + part + "]}",
            "");
    assertThat(sent.dropped()).containsExactly("messages[0].content[1]");
    assertThat(member(sent, "messages"))
        .isEqualTo("[{\"role\":\"user\",\"content\":[{\"text\":\"a\"}]}]");
  }

  @Test
  void whatOnlyTheSystemSaysIsAskedAsTheUsers() throws InvalidJson {
    assertThat(
            chat(CLAUDE, "{\"role\":\"system\",\"content\":\"Be kind.\"}", "")
                .body()
                .toString(UTF_8))
        .startsWith("{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"Be kind.\"}]}]");
  }

  @Test
  void aDocumentAloneHasWordsBesideIt() throws InvalidJson {
    String file =
        "{\"type\":\"file\",\"file\":{\"filename\":\"a.txt\",\"file_data\":"
            + "\"data:text/plain;base64,aGk=\"}}";
    String alone = "{\"role\":\"user\",\"content\":[" + file + "]}";
    assertThat(messages(alone)).endsWith("{\"bytes\":\"aGk=\"}}},{\"text\":\"...\"}]}]");
    assertThat(messages(alone + "," + HELLO))
        .as("one turn")
        .endsWith("{\"bytes\":\"aGk=\"}}},{\"text\":\"Hello\"}]}]");
  }

  @Test
  void documentsHaveNamesOfTheirOwn() throws InvalidJson {
    String file =
        "{\"type\":\"file\",\"file\":{\"filename\":\"a.txt\",\"file_data\":"
            + "\"data:text/plain;base64,aGk=\"}}";
    assertThat(messages("{\"role\":\"user\",\"content\":[" + file + "," + file + "]}"))
        .contains("\"name\":\"a\"", "\"name\":\"a-2\"");
  }

  @Test
  void aToolIsCalledAndAnswers() throws InvalidJson {
    String result =
        "{\"role\":\"tool\",\"tool_call_id\":\"call.1\",\"is_error\":true,\"content\":"
            + "[{\"type\":\"text\",\"text\":\"no\",\"cache_control\":{\"type\":\"ephemeral\"}}]}";
    TranslatedRequest sent = chat(CLAUDE, HELLO + "," + CALL + "," + result, "");
    assertThat(member(sent, "messages"))
        .isEqualTo(
            "[{\"role\":\"user\",\"content\":[{\"text\":\"Hello\"}]},"
                + "{\"role\":\"assistant\",\"content\":[{\"toolUse\":{\"toolUseId\":\"call_1\","
                + "\"name\":\"f\",\"input\":{\"a\":1}}}]},"
                + "{\"role\":\"user\",\"content\":[{\"toolResult\":{\"toolUseId\":\"call_1\","
                + "\"content\":[{\"text\":\"no\"}],\"status\":\"error\"}},"
                + "{\"cachePoint\":{\"type\":\"default\"}}]}]");
    assertThat(member(sent, "toolConfig"))
        .as("refused without any tool")
        .isEqualTo(
            "{\"tools\":[{\"toolSpec\":{\"name\":\"f\",\"inputSchema\":"
                + "{\"json\":{\"type\":\"object\",\"properties\":{}}}}}]}");
  }

  @Test
  void longIdsOfCallsAreCutAlike() throws InvalidJson {
    String id = "x".repeat(70) + "end";
    String sent =
        messages(
            HELLO
                + ","
                + CALL.replace("call.1", id)
                + ",{\"role\":\"tool\",\"tool_call_id\":\""
                + id
                + "\",\"content\":\"\"}");
    String cut = "x".repeat(61) + "end";
    assertThat(sent)
        .contains("\"toolUse\":{\"toolUseId\":\"" + cut + "\"")
        .contains("{\"toolResult\":{\"toolUseId\":\"" + cut + "\",\"content\":[]}}");
  }

  @Test
  void reasoningOfClaudeIsSentBack() throws InvalidJson {
    String message =
        "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_details\":["
            + "{\"type\":\"reasoning.text\",\"text\":\"So \",\"index\":0},"
            + "{\"type\":\"reasoning.text\",\"text\":\"it is\",\"signature\":\"c2ln\",\"index\":0},"
            + "{\"type\":\"reasoning.encrypted\",\"data\":\"EqAD\",\"index\":1}]},"
            + HELLO;
    assertThat(messages(HELLO + "," + message))
        .contains(
            "\"content\":[{\"reasoningContent\":{\"reasoningText\":{\"text\":\"So it is\","
                + "\"signature\":\"c2ln\"}}},{\"reasoningContent\":{\"redactedContent\":"
                + "\"RXFBRA==\"}},{\"text\":\"a\"}]");
    assertThat(member(chat("us.amazon.nova-lite-v1:0", HELLO + "," + message, ""), "messages"))
        .doesNotContain("reasoningContent");
    assertThat(member(chat("us.deepseek.r1-v1:0", HELLO + "," + message, ""), "messages"))
        .as("refuses them")
        .doesNotContain("reasoningContent");
    assertThat(member(chat(PROFILE, HELLO + "," + message, ""), "messages"))
        .contains("\"redactedContent\":\"EqAD\"");
  }

  @Test
  void whereTheAssistantBeginsTheUserWasSilent() throws InvalidJson {
    assertThat(
            messages(
                "{\"role\":\"system\",\"content\":\"Be kind.\"},"
                    + "{\"role\":\"assistant\",\"content\":\"Hi.\"},"
                    + HELLO))
        .isEqualTo(
            "[{\"role\":\"user\",\"content\":[{\"text\":\"...\"}]},"
                + "{\"role\":\"assistant\",\"content\":[{\"text\":\"Hi.\"}]},"
                + "{\"role\":\"user\",\"content\":[{\"text\":\"Hello\"}]}]");
    assertThat(messages("{\"role\":\"assistant\",\"content\":\"\"}," + HELLO))
        .as("one that says nothing is no turn")
        .isEqualTo("[{\"role\":\"user\",\"content\":[{\"text\":\"Hello\"}]}]");
  }

  // What is to be cached

  private static TranslatedRequest marked(String model) throws InvalidJson {
    return chat(
        model,
        "{\"role\":\"system\",\"content\":[{\"type\":\"text\",\"text\":\"a\","
            + MARK
            + "}]},{\"role\":\"user\",\"content\":\"b\","
            + MARK
            + "}",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}," + MARK + "}]");
  }

  @ParameterizedTest
  @CsvSource({
    "us.meta.llama3-3-70b-instruct-v1:0",
    "openai.gpt-oss-120b-1:0",
    "us.deepseek.r1-v1:0",
    "mistral.mistral-large-2402-v1:0",
    "cohere.command-r-v1:0",
    "anthropic.claude-3-haiku-20240307-v1:0",
    PROFILE
  })
  void whatCachesNothingGetsNoMarks(String model) throws InvalidJson {
    TranslatedRequest sent = marked(model);
    assertThat(sent.body().toString(UTF_8)).doesNotContain("cachePoint");
    assertThat(sent.dropped())
        .containsExactlyInAnyOrder(
            "messages[0].content[0].cache_control",
            "messages[1].cache_control",
            "tools[0].cache_control");
  }

  @Test
  void novaCachesNoTools() throws InvalidJson {
    TranslatedRequest sent = marked("us.amazon.nova-lite-v1:0");
    String point = "{\"cachePoint\":{\"type\":\"default\"}}";
    assertThat(member(sent, "system")).isEqualTo("[{\"text\":\"a\"}," + point + "]");
    assertThat(member(sent, "messages")).endsWith("{\"text\":\"b\"}," + point + "]}]");
    assertThat(member(sent, "toolConfig")).doesNotContain("cachePoint");
    assertThat(sent.dropped()).containsExactly("tools[0].cache_control");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}],\"cache_control\":{\"type\":\"ephemeral\"}}"
            + " | {\"text\":\"a\"},{\"text\":\"b\"},{\"cachePoint\":{\"type\":\"default\"}}",
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\",\"cache_control\":{\"type\":\"ephemeral\"}}],\"cache_control\":{\"type\":\"ephemeral\"}}"
            + " | {\"text\":\"a\"},{\"cachePoint\":{\"type\":\"default\"}}",
        "{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b \",\"cache_control\":{\"type\":\"ephemeral\"}}"
            + " | {\"text\":\"b\"},{\"cachePoint\":{\"type\":\"default\"}}"
      })
  void aMessagesMarkStandsAtItsEnd(String messages, String blocks) throws InvalidJson {
    assertThat(messages(messages)).endsWith("\"content\":[" + blocks + "]}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "us.meta.llama4-scout-17b-instruct-v1:0 | \"required\" | - | tool_choice",
        "us.meta.llama4-scout-17b-instruct-v1:0 | \"auto\" | - | -",
        "openai.gpt-oss-20b-1:0 | {\"type\":\"function\",\"function\":{\"name\":\"f\"}} | - | tool_choice",
        "mistral.mistral-large-2402-v1:0 | \"required\" | {\"any\":{}} | -",
        "mistral.mistral-large-2402-v1:0 | {\"type\":\"function\",\"function\":{\"name\":\"f\"}} | - | tool_choice",
        "us.amazon.nova-lite-v1:0 | {\"type\":\"function\",\"function\":{\"name\":\"f\"}} | {\"tool\":{\"name\":\"f\"}} | -"
      })
  void aToolIsDemandedOfThoseWhoTakeIt(String model, String choice, String sent, String dropped)
      throws InvalidJson {
    String tools = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],";
    TranslatedRequest chat = chat(model, HELLO, tools + "\"tool_choice\":" + choice);
    JsonMembers config = root(member(chat, "toolConfig"));
    int i = config.indexOf("toolChoice");
    assertThat(i < 0 ? null : config.text(i)).isEqualTo(sent);
    assertThat(chat.dropped())
        .containsExactly(dropped == null ? new String[0] : new String[] {dropped});
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "us.anthropic.claude-sonnet-4-5-v1:0 | - | {\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"object\",\"properties\":{}}}}"
            + " | {\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}},\"additionalProperties\":false}",
        "us.anthropic.claude-sonnet-4-5-v1:0 | tools | {\"type\":\"object\",\"properties\":{}} | -",
        "us.anthropic.claude-3-7-sonnet-v1:0 | - | {\"type\":\"object\",\"properties\":{}} | -",
        "us.meta.llama3-3-70b-instruct-v1:0 | - | {\"type\":\"object\",\"properties\":{}} | -",
        "qwen.qwen3-32b-v1:0 | json_schema | {\"type\":\"object\",\"additionalProperties\":false}"
            + " | {\"type\":\"object\",\"additionalProperties\":false}"
      })
  void aSchemaIsSentWhereItIsTakenAndFits(
      String model, String capability, String schema, String sent) throws InvalidJson {
    ConfiguredModel plain = ConfiguredModel.of("bedrock", model);
    ConfiguredModel asked = capability == null ? plain : plain.able(capability);
    TranslatedRequest chat =
        asked.of(
            "{\"messages\":["
                + HELLO
                + "],\"response_format\":{\"type\":\"json_schema\","
                + "\"json_schema\":{\"name\":\"n\",\"schema\":"
                + schema
                + "}}}");
    if (sent == null) {
      assertThat(member(chat, "outputConfig")).isEmpty();
      assertThat(chat.dropped()).containsExactly("response_format");
    } else {
      assertThat(ClientView.tree(member(chat, "outputConfig")).findValue("schema").asText())
          .isEqualTo(sent);
      assertThat(chat.dropped()).isEmpty();
    }
  }

  @Test
  void anAnswerThatIsBegunEndsWithoutWhiteSpace() throws InvalidJson {
    assertThat(messages(HELLO + ",{\"role\":\"assistant\",\"content\":\"It \\n\"}"))
        .endsWith("{\"role\":\"assistant\",\"content\":[{\"text\":\"It\"}]}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"d\",\"parameters\":{\"x\":1}}}]"
            + " | {\"tools\":[{\"toolSpec\":{\"name\":\"f\",\"description\":\"d\",\"inputSchema\":{\"json\":{\"type\":\"object\",\"x\":1}}}}]} | -",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"x\":1}}},{\"type\":\"custom\",\"custom\":{\"name\":\"g\"}}]"
            + " | {\"tools\":[{\"toolSpec\":{\"name\":\"f\",\"inputSchema\":{\"json\":{\"type\":\"object\",\"x\":1}}}}]} | tools[1]",
        "\"tools\":[{\"type\":\"custom\",\"custom\":{\"name\":\"g\"}}],\"tool_choice\":\"required\" | `` | tools[0]",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"},\"cache_control\":{\"type\":\"ephemeral\"}}],\"tool_choice\":\"required\""
            + " | {\"tools\":[{\"toolSpec\":{\"name\":\"f\",\"inputSchema\":{\"json\":{\"type\":\"object\",\"properties\":{}}}}},{\"cachePoint\":{\"type\":\"default\"}}],\"toolChoice\":{\"any\":{}}} | -",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"x\":1}}}],\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}},\"parallel_tool_calls\":false"
            + " | {\"tools\":[{\"toolSpec\":{\"name\":\"f\",\"inputSchema\":{\"json\":{\"type\":\"object\",\"x\":1}}}}],\"toolChoice\":{\"tool\":{\"name\":\"f\"}}} | parallel_tool_calls",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"tool_choice\":\"none\""
            + " | `` | -",
        "\"tools\":[] | `` | -"
      })
  void toolsAreOfferedAndDemanded(String members, String config, String dropped)
      throws InvalidJson {
    TranslatedRequest sent = chat(CLAUDE, HELLO, members);
    assertThat(member(sent, "toolConfig")).isEqualTo(config);
    assertThat(String.join(",", sent.dropped())).isEqualTo(dropped == null ? "" : dropped);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        CLAUDE
            + " | \"max_tokens\":5,\"temperature\":0.50 | {\"maxTokens\":5,\"temperature\":0.50} | -",
        CLAUDE
            + " | \"max_completion_tokens\":9,\"top_p\":0.9 | {\"maxTokens\":9,\"topP\":0.9} | -",
        CLAUDE + " | \"temperature\":0.5,\"top_p\":0.9 | {\"temperature\":0.5} | top_p",
        CLAUDE + " | \"temperature\":1.5 | {\"temperature\":1} | temperature",
        CLAUDE + " | \"stop\":\"x\" | {\"stopSequences\":[\"x\"]} | -",
        CLAUDE + " | \"stop\":[\"x\",\" \"] | {\"stopSequences\":[\"x\"]} | stop",
        "amazon.nova-lite-v1:0 | \"temperature\":0.5,\"top_p\":0.9"
            + " | {\"temperature\":0.5,\"topP\":0.9} | -",
        "amazon.nova-lite-v1:0 | \"user\":\"u\",\"seed\":0,\"frequency_penalty\":0.1,\"presence_penalty\":0"
            + " | {} | seed,frequency_penalty",
        "amazon.nova-lite-v1:0 | \"additionalModelResponseFieldPaths\":[\"/x\"] | {}"
            + " | additionalModelResponseFieldPaths",
        "amazon.nova-lite-v1:0 | \"response_format\":{\"type\":\"json_object\"} | {}"
            + " | response_format",
        "anthropic.claude-opus-4-7-v1 | \"temperature\":0.5,\"top_k\":3 | {} | temperature,top_k"
      })
  void parametersAreConversesOrNamed(String model, String members, String config, String dropped)
      throws InvalidJson {
    TranslatedRequest sent = chat(model, HELLO, members);
    assertThat(member(sent, "inferenceConfig")).isEqualTo(config);
    assertThat(sent.dropped())
        .containsExactlyInAnyOrder(dropped == null ? new String[0] : dropped.split(",", -1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        CLAUDE + " | \"top_k\":3 | {\"top_k\":3} | -",
        CLAUDE
            + " | \"reasoning_effort\":\"low\",\"max_tokens\":10000"
            + " | {\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2000}} | -",
        CLAUDE
            + " | \"additionalModelRequestFields\":{\"top_k\":1,\"x\":2},\"top_k\":3"
            + " | {\"top_k\":1,\"x\":2} | -",
        "anthropic.claude-opus-4-6-v1 | \"reasoning_effort\":\"high\""
            + " | {\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"},\"output_config\":{\"effort\":\"high\"}} | -",
        "us.amazon.nova-lite-v1:0 | \"top_k\":3,\"reasoning_effort\":\"low\""
            + " | {\"inferenceConfig\":{\"topK\":3}} | reasoning_effort",
        "us.amazon.nova-2-lite-v1:0 | \"reasoning_effort\":\"high\""
            + " | {\"reasoningConfig\":{\"type\":\"enabled\",\"maxReasoningEffort\":\"high\"}} | -",
        "us.amazon.nova-2-lite-v1:0 | \"reasoning_effort\":\"high\",\"max_tokens\":9"
            + " | {\"reasoningConfig\":{\"type\":\"enabled\",\"maxReasoningEffort\":\"medium\"}} | reasoning_effort",
        "openai.gpt-oss-120b-1:0 | \"reasoning_effort\":\"minimal\",\"thinking\":{\"type\":\"enabled\"}"
            + " | {\"reasoning_effort\":\"low\"} | thinking",
        "cohere.command-r-v1:0 | \"top_k\":3 | {\"k\":3} | -",
        "meta.llama3-8b-instruct-v1:0 | \"top_k\":3,\"reasoning\":{\"effort\":\"low\"} | ``"
            + " | reasoning,top_k"
      })
  void aMakersOwnFieldsGoBesideConverses(
      String model, String members, String fields, String dropped) throws InvalidJson {
    TranslatedRequest sent = chat(model, HELLO, members);
    assertThat(member(sent, "additionalModelRequestFields")).isEqualTo(fields);
    assertThat(sent.dropped())
        .containsExactlyInAnyOrder(dropped == null ? new String[0] : dropped.split(",", -1));
  }

  @Test
  void aReasoningClaudeGetsABoundOfItsAnswer() throws InvalidJson {
    TranslatedRequest sent =
        chat(CLAUDE, HELLO, "\"reasoning_effort\":\"medium\",\"temperature\":0.5");
    assertThat(member(sent, "inferenceConfig"))
        .startsWith("{\"maxTokens\":")
        .doesNotContain("temp");
    assertThat(sent.dropped()).containsExactly("temperature");
  }

  @Test
  void whatIsConversesOwnIsHandedOn() throws InvalidJson {
    TranslatedRequest sent =
        chat(
            CLAUDE,
            HELLO,
            "\"requestMetadata\":{\"a\":\"b\"},\"response_format\":{\"type\":\"json_schema\","
                + "\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":\"object\",\"additionalProperties\":false}}}");
    assertThat(member(sent, "requestMetadata")).isEqualTo("{\"a\":\"b\"}");
    assertThat(member(sent, "outputConfig"))
        .isEqualTo(
            "{\"textFormat\":{\"type\":\"json_schema\",\"structure\":{\"jsonSchema\":"
                + "{\"schema\":\"{\\\"type\\\":\\\"object\\\",\\\"additionalProperties\\\":false}\",\"name\":\"n\"}}}}");
    assertThat(sent.dropped()).isEmpty();
  }

  @Test
  void theModelIsInTheTarget() {
    assertThat(BEDROCK.target(Operation.CHAT, route(CLAUDE), true))
        .endsWith("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
    Route profile = route(PROFILE);
    assertThat(BEDROCK.target(Operation.CHAT, profile, false))
        .endsWith(
            "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx"
                + "/converse");
    assertThat(BEDROCK.target(Operation.EMBEDDING, route("amazon.titan-embed-text-v2:0"), false))
        .endsWith("/model/amazon.titan-embed-text-v2%3A0/invoke");
  }
}
