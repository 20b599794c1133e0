package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chats and embeddings as sent to Cohere. */
class CohereRequestTest {
  private static final Dialect COHERE = Dialects.named("cohere");
  private static final Model MODEL =
      TestCatalog.of(TestCatalog.ofDialect("cohere", "beta")).models().iterator().next();
  private static final Route ROUTE = MODEL.routes().getFirst();
  private static final String BEGINNING = "{\"model\":\"one-at-beta\",\"stream\":false";

  private static JsonMembers root(String json) throws InvalidJson {
    byte[] bytes = json.getBytes(UTF_8);
    return JsonMembers.of(bytes, 0, bytes.length);
  }

  private static TranslatedRequest chat(String members) throws InvalidJson {
    String separator = members.isEmpty() || members.contains("\"messages\"") ? "" : ",";
    String messages = members.contains("\"messages\"") ? "" : "\"messages\":[]";
    return COHERE
        .translation()
        .orElseThrow()
        .chat(root("{\"model\":\"a/b\"," + messages + separator + members + "}"), ROUTE, MODEL);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "\"top_p\":0.50,\"top_k\":3,\"seed\":7,\"temperature\":0"
            + " | ,\"temperature\":0,\"p\":0.50,\"k\":3,\"seed\":7 | -",
        "\"max_completion_tokens\":9,\"max_tokens\":5 | ,\"max_tokens\":9 | -",
        "\"stop\":\"x\" | ,\"stop_sequences\":[\"x\"] | -",
        "\"stop\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]"
            + " | ,\"stop_sequences\":[\"a\",\"b\",\"c\",\"d\",\"e\"] | stop",
        "\"response_format\":{\"type\":\"json_object\"}"
            + " | ,\"response_format\":{\"type\":\"json_object\"} | -",
        "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\":\"object\",\"required\":[\"x\"]}}}"
            + " | ,\"response_format\":{\"type\":\"json_object\",\"json_schema\":{\"type\":\"object\",\"required\":[\"x\"]}} | -",
        "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"x\":1}}}"
            + " | ,\"response_format\":{\"type\":\"json_object\"} | response_format.json_schema",
        "\"response_format\":{\"type\":\"text\"} | `` | -",
        "\"frequency_penalty\":0.1,\"presence_penalty\":0"
            + " | ,\"frequency_penalty\":0.1,\"presence_penalty\":0 | -",
        "\"frequency_penalty\":1.5,\"presence_penalty\":2"
            + " | ,\"frequency_penalty\":1,\"presence_penalty\":1 | frequency_penalty,presence_penalty",
        "\"frequency_penalty\":-0.5 | `` | frequency_penalty",
        "\"presence_penalty\":-2 | `` | presence_penalty",
        "\"top_p\":1,\"top_k\":-1 | `` | -",
        "\"top_p\":0,\"top_k\":501,\"temperature\":2 | ,\"temperature\":1,\"p\":0.01,\"k\":500 | temperature,top_p,top_k",
        "\"top_p\":0.999,\"temperature\":1.0 | ,\"temperature\":1.0,\"p\":0.99 | top_p",
        "\"seed\":-1 | `` | seed",
        "\"logprobs\":true | `` | logprobs",
        "\"logprobs\":false,\"top_logprobs\":0 | `` | -",
        "\"response_format\":{\"type\":\"json_object\"},\"documents\":[\"d\"]"
            + " | ,\"documents\":[\"d\"] | response_format",
        "\"response_format\":{\"type\":\"json_object\"},\"tools\":[],\"documents\":null"
            + " | ,\"response_format\":{\"type\":\"json_object\"} | -",
        "\"response_format\":{\"type\":\"json_object\"},\"tools\":[{\"type\":\"function\","
            + "\"function\":{\"name\":\"f\"}}] | ,\"tools\":[{\"type\":\"function\",\"function\":"
            + "{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"
            + " | response_format",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"properties\":{}}}}]"
            + " | ,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{}}}}] | -",
        "\"user\":\"u\" | `` | -",
        "\"logit_bias\":{\"1\":2} | `` | logit_bias",
        "\"logit_bias\":{},\"store\":false,\"metadata\":null | `` | -",
        "\"parallel_tool_calls\":false | `` | parallel_tool_calls",
        "\"reasoning_effort\":\"high\" | `` | reasoning_effort",
        "\"reasoning\":{\"effort\":\"low\"} | `` | reasoning",
        "\"reasoning\":{\"enabled\":false} | `` | -",
        "\"thinking\":{\"type\":\"disabled\"} | ,\"thinking\":{\"type\":\"disabled\"} | -",
        "\"documents\":[\"d\"],\"safety_mode\":\"NONE\" | ,\"documents\":[\"d\"],\"safety_mode\":\"NONE\""
            + " | -"
      })
  void aParameterIsCoheresOrLeftOut(String members, String sent, String dropped)
      throws InvalidJson {
    TranslatedRequest chat = chat(members);
    assertThat(chat.body().toString(UTF_8)).isEqualTo(BEGINNING + sent + ",\"messages\":[]}");
    assertThat(chat.dropped())
        .isEqualTo(dropped == null ? List.of() : List.of(dropped.split(",", -1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"reasoning_effort\":\"high\" | {\"type\":\"enabled\"}",
        "\"reasoning_effort\":\"none\" | {\"type\":\"disabled\"}",
        "\"reasoning\":{\"enabled\":false},\"reasoning_effort\":\"high\" | {\"type\":\"disabled\"}",
        "\"reasoning\":{\"summary\":\"auto\"},\"reasoning_effort\":\"high\" | {\"type\":\"enabled\"}",
        "\"reasoning\":{\"max_tokens\":90} | {\"type\":\"enabled\",\"token_budget\":90}"
      })
  void aModelThatReasonsIsAskedTo(String members, String thinking) throws InvalidJson {
    Model able = TestCatalog.withCapability(MODEL, "reasoning");
    TranslatedRequest chat =
        COHERE
            .translation()
            .orElseThrow()
            .chat(root("{\"messages\":[]," + members + "}"), ROUTE, able);
    assertThat(chat.body().toString(UTF_8))
        .isEqualTo(BEGINNING + ",\"thinking\":" + thinking + ",\"messages\":[]}");
    assertThat(chat.dropped()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "\"auto\" | `` | -",
        "\"none\" | ,\"tool_choice\":\"NONE\" | -",
        "\"required\" | ,\"tool_choice\":\"REQUIRED\" | -",
        "{\"type\":\"function\",\"function\":{\"name\":\"f\"}} | ,\"tool_choice\":\"REQUIRED\""
            + " | tool_choice"
      })
  void toolsAndTheirChoice(String choice, String sent, String dropped) throws InvalidJson {
    TranslatedRequest chat =
        chat(
            "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"strict\":true,"
                + "\"parameters\":{\"properties\":{\"a\":{}},\"required\":[\"a\"]}}}],\"tool_choice\":"
                + choice);
    assertThat(chat.body().toString(UTF_8))
        .isEqualTo(
            BEGINNING
                + ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"]}}}],"
                + "\"strict_tools\":true"
                + sent
                + ",\"messages\":[]}");
    assertThat(chat.dropped()).isEqualTo(dropped == null ? List.of() : List.of(dropped));
  }

  @Test
  void aConversationWithCallsAndTheirResults() throws InvalidJson {
    TranslatedRequest chat =
        chat(
            "\"messages\":[{\"role\":\"developer\",\"content\":\"Be.\"},{\"role\":\"user\",\"name\":\"n\","
                + "\"content\":[{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"image_url\",\"image_url\":"
                + "{\"url\":\"data:image/png;base64,AA\"}},{\"type\":\"input_audio\",\"input_audio\":{}}]},"
                + "{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"Hm.\",\"refusal\":null,"
                + "\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                + "\"arguments\":\"\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"5\"}]");
    assertThat(chat.body().toString(UTF_8))
        .isEqualTo(
            BEGINNING
                + ",\"messages\":[{\"role\":\"system\",\"content\":\"Be.\"},{\"role\":\"user\","
                + "\"content\":[{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"image_url\",\"image_url\":"
                + "{\"url\":\"data:image/png;base64,AA\"}}]},"
                + "{\"role\":\"assistant\",\"tool_plan\":\"Hm.\","
                + "\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                + "\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"5\"}]}");
    assertThat(chat.dropped()).containsExactly("messages[1].content[2]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "\"input\":\"x\" | \"texts\":[\"x\"],\"input_type\":\"search_document\","
            + "\"embedding_types\":[\"float\"] | -",
        "\"input\":[\"x\",\"y\"],\"encoding_format\":\"base64\",\"dimensions\":256,\"user\":\"u\""
            + " | \"texts\":[\"x\",\"y\"],\"input_type\":\"search_document\","
            + "\"embedding_types\":[\"base64\"],\"output_dimension\":256 | -",
        "\"input\":\"x\",\"input_type\":\"search_query\",\"truncate\":\"END\" | \"texts\":[\"x\"],"
            + "\"input_type\":\"search_query\",\"embedding_types\":[\"float\"],\"truncate\":\"END\" | -",
        "\"input\":[1,2] | \"texts\":[1,2],\"input_type\":\"search_document\","
            + "\"embedding_types\":[\"float\"] | input"
      })
  void vectorsAreAskedForInItsWords(String members, String sent, String dropped)
      throws InvalidJson {
    TranslatedRequest vectors =
        COHERE
            .embeddings()
            .orElseThrow()
            .request(root("{\"model\":\"a/b\"," + members + "}"), ROUTE);
    assertThat(vectors.body().toString(UTF_8))
        .isEqualTo("{\"model\":\"one-at-beta\"," + sent + "}");
    assertThat(vectors.dropped()).isEqualTo(dropped == null ? List.of() : List.of(dropped));
    assertThat(COHERE.target(Operation.EMBEDDING, ROUTE, false)).isEqualTo("/v2/embed");
    assertThat(COHERE.target(Operation.CHAT, ROUTE, true)).isEqualTo("/v2/chat");
  }
}
