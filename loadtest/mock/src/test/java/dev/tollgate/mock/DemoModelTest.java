package dev.tollgate.mock;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The demo model of the mock provider says what it is, and gives what was asked for. */
class DemoModelTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String QUESTION =
      "\"messages\":[{\"role\":\"user\",\"content\":\"What is the weather in “São Paulo”?\"}]";
  private static final String TOOLS =
      """
      ,"tools":[{"type":"function","function":{"name":"find_user","parameters":{"type":"object"}}},
      {"type":"function","function":{"name":"get_weather","parameters":{"type":"object",
      "properties":{"city":{"type":"string"},"unit":{"enum":["C","F"]}},"required":["city","unit"]}}}]
      """;

  @RegisterExtension static final RunningMock MOCK = new RunningMock();

  @Test
  void itAnswersInSentencesThatQuoteTheQuestion() throws Exception {
    JsonNode reply = ask(QUESTION);
    String text = reply.at("/choices/0/message/content").asText();
    assertThat(text).contains("demo provider", "“is the weather in “São Paulo””").endsWith(".");
    assertThat(reply.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(ask(QUESTION)).isEqualTo(reply);
    assertThat(content(ask("\"messages\":[]"))).contains("no text to quote");
    String parts = "[{\"type\":\"text\",\"text\":\"Hello there\"},{\"type\":\"image_url\"}]";
    assertThat(content(ask("\"messages\":[{\"role\":\"user\",\"content\":" + parts + "}]")))
        .contains("“Hello there”");
  }

  @Test
  void aStreamHasTheSameWordsAndCounts() throws Exception {
    JsonNode plain = ask(QUESTION);
    List<JsonNode> chunks =
        MockProviderTest.chunks(
            MOCK.client()
                .post(
                    "/v1/chat/completions",
                    body(QUESTION + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}"))
                .readResponse());
    StringBuilder text = new StringBuilder();
    chunks.forEach(chunk -> text.append(chunk.at("/choices/0/delta/content").asText()));
    assertThat(text.toString()).isEqualTo(content(plain));
    int tokens = plain.at("/usage/completion_tokens").asInt();
    assertThat(chunks.getLast().at("/usage/completion_tokens").asInt()).isEqualTo(tokens);
    assertThat(chunks).hasSize(tokens + 3);
  }

  @Test
  void theMaximumOfTokensEndsTheAnswerEarly() throws Exception {
    JsonNode reply = ask(QUESTION + ",\"max_completion_tokens\":4");
    assertThat(reply.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(reply.at("/usage/completion_tokens").asInt()).isEqualTo(4);
    assertThat(content(ask(QUESTION))).startsWith(content(reply));
  }

  @Test
  void theFormatOfTheReplyIsHonoured() throws Exception {
    String object = ",\"response_format\":{\"type\":\"json_object\"}";
    assertThat(JSON.readTree(content(ask(QUESTION + object))).path("answer").asText())
        .contains("São Paulo");
    String schema =
        """
        ,"response_format":{"type":"json_schema","json_schema":{"name":"w","schema":{
        "type":"object","properties":{"degrees":{"type":"integer","minimum":-90}},
        "required":["degrees"]}}}
        """;
    assertThat(content(ask(QUESTION + schema))).isEqualTo("{\"degrees\":-90}");
  }

  @Test
  void aToolIsCalledIfTheQuestionMentionsItOrTheRequestRequiresIt() throws Exception {
    String question = "\"messages\":[{\"role\":\"user\",\"content\":\"Hello!\"}]";
    JsonNode mentioned = ask(QUESTION + TOOLS).at("/choices/0");
    assertThat(mentioned.path("finish_reason").asText()).isEqualTo("tool_calls");
    assertThat(called(mentioned)).isEqualTo("get_weather {\"city\":\"demo city\",\"unit\":\"C\"}");
    assertThat(content(ask(question + TOOLS))).contains("“Hello!”".replace("!", ""));
    assertThat(content(ask(QUESTION + TOOLS + ",\"tool_choice\":\"none\""))).contains("demo");
    assertThat(called(ask(question + TOOLS + ",\"tool_choice\":\"required\"").at("/choices/0")))
        .isEqualTo("find_user {}");
    String named =
        ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"get_weather\"}}";
    assertThat(called(ask(question + TOOLS + named).at("/choices/0"))).startsWith("get_weather {");
  }

  @Test
  void aResultOfAToolIsAnsweredInWords() throws Exception {
    String results =
        QUESTION.replace(
            "}]",
            "},{\"role\":\"assistant\",\"tool_calls\":[]},"
                + "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"rain, 18 C\"}]");
    assertThat(content(ask(results + TOOLS))).contains("“rain, 18 C”");
  }

  @Test
  void aCompletionAnswersItsPrompt() throws Exception {
    String body = "{\"model\":\"mock-demo\",\"prompt\":\"Once upon a time\"}";
    JsonNode reply =
        JSON.readTree(MOCK.client().post("/v1/completions", body).readResponse().body());
    assertThat(reply.at("/choices/0/text").asText()).contains("“Once upon a time”");
  }

  @Test
  void aTranscriptSaysWhatItIsAndCountsSeconds() throws Exception {
    String field = "--b\r\nContent-Disposition: form-data; name=\"";
    String form =
        field
            + "model\"\r\n\r\nmock-demo-whisper\r\n"
            + field
            + "file\"; filename=\"a.wav\"\r\n\r\n"
            + "s".repeat(96_000)
            + "\r\n--b--\r\n";
    JsonNode reply =
        JSON.readTree(MOCK.client().post("/v1/audio/transcriptions", form).readResponse().body());
    assertThat(reply.path("text").asText()).contains("received 2.0 seconds of sound");
    assertThat(reply.at("/usage/seconds").asInt()).isEqualTo(2);
  }

  private static String called(JsonNode choice) {
    JsonNode function = choice.at("/message/tool_calls/0/function");
    return function.path("name").asText() + " " + function.path("arguments").asText();
  }

  private static String content(JsonNode reply) {
    return reply.at("/choices/0/message/content").asText();
  }

  private static JsonNode ask(String members) throws Exception {
    return JSON.readTree(
        MOCK.client().post("/v1/chat/completions", body(members)).readResponse().body());
  }

  private static String body(String members) {
    return "{\"model\":\"acme/mock-demo?chunks=3\"," + members + "}";
  }
}
