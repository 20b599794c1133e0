package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Streams of the mock provider that break off, resumed at another provider with the same text. */
class ResumeIT {
  private static final String SAYS_THE_SAME = "mock-chat?seed=5&chunks=12";
  private static final MockProvider MOCK = MockProvider.start(MockProfile.IMMEDIATE, 0);
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());

  /**
   * After a number of content events by FIN or RST, after a number of bytes, by an error, by a
   * stall.
   */
  static Stream<String> faults() {
    return Stream.of(
            Stream.iterate(1, k -> k < 12, k -> k + 2).map(k -> "cut-fin:" + k),
            Stream.iterate(2, k -> k < 12, k -> k + 3).map(k -> "cut-rst:" + k),
            Stream.iterate(600, k -> k < 2_400, k -> k + 149).map(k -> "cut-byte:" + k),
            Stream.of("error-midway:3", "stall:4", "cut-chunk:2", "cut-clean:6"))
        .flatMap(names -> names);
  }

  private static ConfigBuilder setup() {
    ConfigBuilder setup =
        SharedNode.setup()
            .provider("first", provider())
            .provider("second", provider())
            .model("resume/whole", model(SAYS_THE_SAME, SAYS_THE_SAME))
            .model("resume/other", model("fault/cut-fin:5?seed=5", "mock-chat?seed=6"));
    faults()
        .forEach(
            fault ->
                setup.model(
                    "resume/" + fault,
                    model("fault/" + fault + "?seed=5&chunks=12", SAYS_THE_SAME)));
    return setup;
  }

  private static Map<String, ?> provider() {
    return Map.of(
        "type",
        "openai",
        "base_url",
        "http://127.0.0.1:" + MOCK.port() + "/v1",
        "timeouts",
        Map.of("idle", "1s"));
  }

  private static Map<String, ?> model(String first, String second) {
    return Map.of(
        "modality",
        "chat",
        "resume",
        "auto",
        "price",
        ConfigBuilder.PRICE,
        "routes",
        List.of(
            Map.of("provider", "first", "model", first, "priority", 1),
            Map.of("provider", "second", "model", second, "priority", 2)));
  }

  @AfterAll
  static void stop() {
    NODE.close();
    MOCK.close();
  }

  @AfterEach
  void nothingIsHeld() {
    NODE.admin().awaitIdle();
  }

  @ParameterizedTest
  @MethodSource("faults")
  void theClientGetsTheWholeTextOnce(String fault) {
    List<JsonNode> whole = chunks(ask("resume/whole"));
    double before = NODE.admin().total("tollgate_resumes_total");
    List<JsonNode> resumed = chunks(ask("resume/" + fault));
    assertThat(text(resumed)).isEqualTo(text(whole)).isNotEmpty();
    assertThat(ids(resumed)).hasSize(1);
    assertThat(resumed).filteredOn(chunk -> delta(chunk).has("role")).hasSize(1);
    assertThat(resumed).filteredOn(chunk -> chunk.has("usage")).hasSize(1);
    assertThat(resumed).noneMatch(chunk -> chunk.has("error"));
    NODE.admin().awaitIdle();
    boolean hadContent = resumed.stream().anyMatch(chunk -> provider(chunk).equals("first"));
    assertThat(NODE.admin().total("tollgate_resumes_total") - before).isEqualTo(hadContent ? 1 : 0);
  }

  @Test
  void aDifferentTextEndsTheStreamWithTheFirstProvidersFault() {
    List<JsonNode> chunks = chunks(ask("resume/other"));
    JsonNode error = chunks.getLast().path("error");
    assertThat(error.path("code").asText()).isEqualTo("provider_disconnect");
    assertThat(error.path("provider").asText()).isEqualTo("first");
    assertThat(error.path("details").path("attempts"))
        .extracting(attempt -> attempt.path("outcome").asText())
        .containsExactly("disconnected", "diverged");
    assertThat(NODE.admin().metrics()).containsKey("tollgate_resumes_total{outcome=\"diverged\"}");
  }

  private static RawResponse ask(String model) {
    try (RawClient client = NODE.connect()) {
      return client
          .post(ChatRequests.PATH, ChatRequests.body(model, true), SharedNode.authorization())
          .readResponse();
    }
  }

  private static List<JsonNode> chunks(RawResponse response) {
    assertThat(response.status()).isEqualTo(200);
    List<String> events =
        response.events().stream().filter(event -> event.startsWith("data: ")).toList();
    assertThat(events).endsWith("data: [DONE]");
    List<JsonNode> chunks = new ArrayList<>();
    for (String event : events.subList(0, events.size() - 1)) {
      chunks.add(Json.tree(event.substring("data: ".length())));
    }
    return chunks;
  }

  private static JsonNode delta(JsonNode chunk) {
    return chunk.path("choices").path(0).path("delta");
  }

  private static String provider(JsonNode chunk) {
    return chunk.path("provider").asText();
  }

  private static String text(List<JsonNode> chunks) {
    StringBuilder text = new StringBuilder();
    chunks.forEach(chunk -> text.append(delta(chunk).path("content").asText()));
    return text.toString();
  }

  private static Set<String> ids(List<JsonNode> chunks) {
    Set<String> ids = new TreeSet<>();
    chunks.forEach(chunk -> ids.add(chunk.path("id").asText()));
    return ids;
  }
}
