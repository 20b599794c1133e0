package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.message.PrefillText;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A conversation that ends with an answer of the assistant's, at models that refuse to go on. */
class BegunAnswerTest {
  private static final String CHAT =
      "{\"model\":\"a/b\",\"max_tokens\":3000,\"messages\":[{\"role\":\"user\",\"content\":\"q\"},"
          + "{\"role\":\"assistant\",\"content\":\"The word is\"}]%s}";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "anthropic | claude-sonnet-4-6 | ''",
        "anthropic | claude-opus-5 | ''",
        "vertex-anthropic | claude-opus-4-7@20260101 | ''",
        "anthropic | claude-haiku-4-5 | ,\"reasoning_effort\":\"low\"",
        "anthropic | claude-haiku-4-5 | ,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}",
        "bedrock | us.anthropic.claude-sonnet-4-6-v1:0 | ''",
        "bedrock | us.anthropic.claude-sonnet-4-5-v1:0 | ,\"reasoning_effort\":\"low\"",
      })
  void isFollowedByAUsersTurnAndNamed(String dialect, String name, String more) throws Exception {
    ConfiguredModel model = ConfiguredModel.of(dialect, name);
    TranslatedRequest sent = model.of(CHAT.formatted(more));

    JsonNode messages = MAPPER.readTree(sent.body().toString(UTF_8)).path("messages");
    assertThat(messages).hasSize(3);
    assertThat(messages.path(1).at("/content/0/text").asText()).isEqualTo("The word is");
    assertThat(messages.path(2).path("role").asText()).isEqualTo("user");
    assertThat(messages.path(2).at("/content/0/text").asText()).isEqualTo(PrefillText.CONTINUATION);
    assertThat(sent.dropped()).containsExactly("messages[1]");
    assertThat(model.takesPrefill(CHAT.formatted(more))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic, claude-haiku-4-5",
    "anthropic, claude-3-5-haiku-latest",
    "bedrock, anthropic.claude-haiku-4-5-v1:0",
    "bedrock, amazon.nova-pro-v1:0",
    "gemini, gemini-2.5-flash",
    "cohere, command-a-03-2025",
    "ollama, qwen3",
  })
  void isTheLastMessageElsewhere(String dialect, String name) throws Exception {
    ConfiguredModel model = ConfiguredModel.of(dialect, name);
    TranslatedRequest sent = model.of(CHAT.formatted(""));

    assertThat(sent.body().toString(UTF_8))
        .contains("The word is")
        .doesNotContain(PrefillText.CONTINUATION);
    assertThat(sent.dropped()).isEmpty();
    assertThat(model.takesPrefill(CHAT.formatted(""))).isTrue();
  }

  /** Claude refuses a conversation whose last block is reasoning. */
  @ParameterizedTest
  @CsvSource({"ANTHROPIC", "CONVERSE_CLAUDE"})
  void reasoningWithoutATextIsNoBegunAnswer(RefusingProvider provider) throws Exception {
    String chat =
        CHAT.formatted("")
            .replace(
                "is\"}]",
                "is\"},{\"role\":\"assistant\",\"reasoning_details\":[{\"type\":\"reasoning.text\","
                    + "\"text\":\"t\",\"signature\":\"c2ln\"}]}]");
    String sent = provider.sent(chat).body();
    assertThat(sent).contains("c2ln");
    assertThat(provider.refusals(sent)).as(sent).isEmpty();
  }
}
