package dev.tollgate.core.dialect.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.ConfiguredModel;
import dev.tollgate.core.dialect.TranslatedRequest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What other models put into the assistant's messages is sent, or named as dropped. */
class LostMembersTest {
  private static final String SIGNED =
      "'reasoning_content':'thought','reasoning_details':[{'type':'reasoning.text','text':'th'},"
          + "{'type':'reasoning.text','text':'ought','signature':'c2ln'}]";
  private static final String PICTURE =
      "'images':[{'type':'image_url','image_url':{'url':'data:image/png;base64,UElD'}}]";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "anthropic | claude-haiku-4-5 | reasoning_content | reasoning_content",
        "bedrock | us.anthropic.claude-haiku-4-5-v1:0 | reasoning_content | reasoning_content",
        "bedrock | amazon.nova-pro-v1:0 | reasoning_content | reasoning_content",
        "gemini | gemini-2.5-flash | reasoning_content | reasoning_content",
        "cohere | command-a-03-2025 | reasoning_content | reasoning_content",
        "ollama | qwen3 | reasoning_content | ",
        "anthropic | claude-haiku-4-5 | signed | ",
        "bedrock | us.anthropic.claude-haiku-4-5-v1:0 | signed | ",
        "bedrock | amazon.nova-pro-v1:0 | signed | reasoning_content reasoning_details",
        "gemini | gemini-2.5-flash | signed | reasoning_content reasoning_details",
        "ollama | qwen3 | signed | reasoning_details",
        "anthropic | claude-haiku-4-5 | unsigned | reasoning_details",
        "anthropic | claude-haiku-4-5 | foreign | reasoning_details",
        "anthropic | claude-haiku-4-5 | partly | reasoning_details",
        "gemini | gemini-2.5-flash | own | ",
        "anthropic | claude-haiku-4-5 | images | images",
        "bedrock | us.anthropic.claude-haiku-4-5-v1:0 | images | images",
        "cohere | command-a-03-2025 | images | images",
        "gemini | gemini-2.5-flash | images | ",
        "ollama | gemma3 | images | ",
        "anthropic | claude-haiku-4-5 | audio | audio",
        "gemini | gemini-2.5-flash | audio | audio",
        "ollama | qwen3 | audio | audio",
        "cohere | command-a-03-2025 | audio | audio",
      })
  void isNamedUnlessItIsSent(String dialect, String model, String kind, String names)
      throws Exception {
    String members =
        switch (kind) {
          case "signed" -> "'content':'a'," + SIGNED;
          case "unsigned" ->
              "'content':'a','reasoning_details':[{'type':'reasoning.text','text':'thought'}]";
          case "foreign" ->
              "'content':'a','reasoning_details':[{'type':'reasoning.encrypted','data':'x',"
                  + "'format':'openai-responses-v1'}]";
          case "partly" ->
              "'content':'a'," + SIGNED.replace("]", ",{'type':'reasoning.text','text':'more'}]");
          case "own" ->
              "'content':'a','reasoning_content':'thought',"
                  + "'extra_content':{'google':{'thought_signature':'c2ln'}}";
          case "images" -> "'content':'a'," + PICTURE;
          case "audio" -> "'content':null,'audio':{'id':'audio_1'}";
          default -> "'content':'a','" + kind + "':'thought'";
        };
    TranslatedRequest sent = ConfiguredModel.of(dialect, model).of(chat(members));

    List<String> expected =
        names == null
            ? List.of()
            : List.of(names.split(" ", -1)).stream().map(name -> "messages[1]." + name).toList();
    assertThat(sent.dropped()).isEqualTo(expected);
    assertThat(sent.body().toString(UTF_8).contains("UElD"))
        .isEqualTo(kind.equals("images") && names == null);
  }

  @ParameterizedTest
  @CsvSource({"gemini, gemini-2.5-flash", "ollama, gemma3"})
  void aPictureWithoutTextIsSent(String dialect, String model) throws Exception {
    TranslatedRequest sent =
        ConfiguredModel.of(dialect, model).of(chat("'content':null," + PICTURE));

    assertThat(sent.body().toString(UTF_8)).contains("UElD");
    assertThat(sent.dropped()).isEmpty();
  }

  private static String chat(String members) {
    return ("{'model':'a/b','messages':[{'role':'user','content':'q'},{'role':'assistant',"
            + members
            + "},{'role':'user','content':'more'}]}")
        .replace('\'', '"');
  }
}
