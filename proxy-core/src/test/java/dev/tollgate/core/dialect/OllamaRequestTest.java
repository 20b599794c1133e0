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

/** Chats as sent to Ollama. */
class OllamaRequestTest {
  private static final Dialect OLLAMA = Dialects.named("ollama");
  private static final Model MODEL =
      TestCatalog.of(TestCatalog.ofDialect("ollama", "beta")).models().iterator().next();
  private static final Route ROUTE = MODEL.routes().getFirst();

  private static TranslatedRequest chat(String upstreamModel, String members) throws InvalidJson {
    return chat(MODEL, upstreamModel, members);
  }

  private static TranslatedRequest chat(Model model, String upstreamModel, String members)
      throws InvalidJson {
    byte[] json = ("{\"model\":\"a/b\"," + members + "}").getBytes(UTF_8);
    Route route = new Route(ROUTE.provider(), upstreamModel, 1, 1);
    return OLLAMA
        .translation()
        .orElseThrow()
        .chat(JsonMembers.of(json, 0, json.length), route, model);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "\"stream\":true | \"stream\":true,\"options\":{} | -",
        "\"temperature\":0.50,\"seed\":7,\"top_p\":1,\"max_tokens\":9,\"stop\":\"x\""
            + " | \"stream\":false,\"options\":{\"temperature\":0.50,\"top_p\":1,\"seed\":7,"
            + "\"num_predict\":9,\"stop\":[\"x\"]} | -",
        "\"options\":{\"num_ctx\":5,\"seed\":1},\"seed\":7,\"stop\":[\"a\"],\"keep_alive\":\"5m\""
            + " | \"stream\":false,\"options\":{\"num_ctx\":5,\"seed\":1,\"stop\":[\"a\"]},"
            + "\"keep_alive\":\"5m\" | -",
        "\"response_format\":{\"type\":\"json_object\"}"
            + " | \"stream\":false,\"format\":\"json\",\"options\":{} | -",
        "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"schema\":{\"x\":1}}}"
            + " | \"stream\":false,\"format\":{\"x\":1},\"options\":{} | -",
        "\"reasoning_effort\":\"none\" | \"stream\":false,\"think\":false,\"options\":{} | -",
        "\"reasoning\":{\"enabled\":false} | \"stream\":false,\"think\":false,\"options\":{} | -",
        "\"reasoning_effort\":\"high\" | \"stream\":false,\"options\":{} | reasoning_effort",
        "\"reasoning\":{\"effort\":\"low\"} | \"stream\":false,\"options\":{} | reasoning",
        "\"think\":true | \"stream\":false,\"think\":true,\"options\":{} | -",
        "\"options\":{\"stop\":[\"a\"]},\"stop\":\"b\""
            + " | \"stream\":false,\"options\":{\"stop\":[\"a\"]} | -",
        "\"logprobs\":true | \"stream\":false,\"options\":{} | logprobs",
        "\"top_logprobs\":2 | \"stream\":false,\"options\":{} | top_logprobs",
        "\"logprobs\":false | \"stream\":false,\"options\":{} | -",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}},{\"type\":\"custom\"}]"
            + " | \"stream\":false,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],"
            + "\"options\":{} | tools[1]",
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"tool_choice\":\"none\""
            + " | \"stream\":false,\"options\":{} | -",
        "\"tool_choice\":\"required\" | \"stream\":false,\"options\":{} | tool_choice",
        "\"user\":\"u\",\"logit_bias\":{},\"n\":1 | \"stream\":false,\"options\":{} | -"
      })
  void aParameterIsOllamasOrLeftOut(String members, String sent, String dropped)
      throws InvalidJson {
    TranslatedRequest chat = chat("m", "\"messages\":[]," + members);
    assertThat(chat.body().toString(UTF_8))
        .isEqualTo("{\"model\":\"m\"," + sent + ",\"messages\":[]}");
    assertThat(chat.dropped()).isEqualTo(dropped == null ? List.of() : List.of(dropped));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "m | \"reasoning_effort\":\"high\" | true",
        "m | \"reasoning\":{},\"reasoning_effort\":\"none\" | false",
        "gpt-oss:20b | \"reasoning_effort\":\"minimal\" | \"low\"",
        "gpt-oss:20b | \"reasoning\":{\"enabled\":true} | true"
      })
  void aModelThatThinksIsAskedToAndOneFamilyByLevels(String name, String members, String think)
      throws InvalidJson {
    TranslatedRequest chat =
        chat(TestCatalog.withCapability(MODEL, "reasoning"), name, "\"messages\":[]," + members);
    assertThat(chat.body().toString(UTF_8)).contains(",\"think\":" + think + ",");
    assertThat(chat.dropped()).isEmpty();
  }

  @Test
  void aConversationWithImagesCallsAndTheirResults() throws InvalidJson {
    TranslatedRequest chat =
        chat(
            "m",
            "\"messages\":[{\"role\":\"developer\",\"content\":\"Be.\"},{\"role\":\"user\","
                + "\"content\":[{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"image_url\",\"image_url\":"
                + "{\"url\":\"data:image/png;base64,AAAA\"}},{\"type\":\"text\",\"text\":\"B\"},"
                + "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://h/i.png\"}}]},"
                + "{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"Hm.\","
                + "\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                + "\"arguments\":\"{\\\"x\\\": 1}\"}},{\"id\":\"c2\",\"type\":\"function\",\"function\":"
                + "{\"name\":\"g\",\"arguments\":\"oops\"}}]},"
                + "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"5\"}]");
    assertThat(chat.body().toString(UTF_8))
        .endsWith(
            ",\"messages\":[{\"role\":\"system\",\"content\":\"Be.\"},{\"role\":\"user\","
                + "\"content\":\"A\\n\\nB\",\"images\":[\"AAAA\"]},"
                + "{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"Hm.\",\"tool_calls\":["
                + "{\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":{\"x\": 1}}},"
                + "{\"id\":\"c2\",\"function\":{\"name\":\"g\",\"arguments\":{\"arguments\":\"oops\"}}}]},"
                + "{\"role\":\"tool\",\"content\":\"5\",\"tool_call_id\":\"c1\",\"tool_name\":\"f\"}]}");
    assertThat(chat.dropped()).containsExactly("messages[1].content[3]");
    assertThat(OLLAMA.target(Operation.CHAT, ROUTE, true)).isEqualTo("/api/chat");
  }
}
