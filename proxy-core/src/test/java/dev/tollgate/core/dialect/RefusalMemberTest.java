package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A refusal of an earlier turn is a text of the assistant's at every provider. */
class RefusalMemberTest {
  @ParameterizedTest
  @CsvSource({
    "anthropic, claude-haiku-4-5",
    "bedrock, amazon.nova-pro-v1:0",
    "gemini, gemini-2.5-flash",
    "cohere, command-a-03-2025",
    "ollama, qwen3",
  })
  void isSentAsTextOfTheAssistant(String dialect, String model) throws Exception {
    for (String content : new String[] {"", "'content':null,", "'content':'',", "'content':[],"}) {
      TranslatedRequest sent =
          ConfiguredModel.of(dialect, model)
              .of(chat("{'role':'assistant'," + content + "'refusal':'I \\\"won\\\"t.'}"));

      assertThat(sent.body().toString(UTF_8)).as(content).contains("I \\\"won\\\"t.");
      assertThat(sent.dropped()).as(content).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"'Well.'", "[{'type':'text','text':'Well.'}]"})
  void followsTheTextOfItsMessage(String content) throws Exception {
    TranslatedRequest sent =
        ConfiguredModel.of("anthropic", "claude-haiku-4-5")
            .of(chat("{'refusal':'No.','role':'assistant','content':" + content + "}"));

    assertThat(sent.body().toString(UTF_8))
        .contains("{\"type\":\"text\",\"text\":\"Well.\"},{\"type\":\"text\",\"text\":\"No.\"}");
  }

  private static String chat(String refusing) {
    return "{'model':'a/b','messages':[{'role':'user','content':'q'},%s,{'role':'user','content':'why?'}]}"
        .formatted(refusing)
        .replace("\\\"", "\u0000")
        .replace('\'', '"')
        .replace("\u0000", "\\\"");
  }
}
