package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.WireCase;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Images of Gemini, asked for and answered as OpenAI's. */
class GeminiImagesTest {
  private static final long MICRO = 1_000_000;

  private static final String ASK =
      "{\"model\":\"acme/one\",\"prompt\":\"A \\\"gate\\\".\",\"response_format\":\"b64_json\"}";

  private static Scenario scenario() {
    return scenario(1, 1);
  }

  /** A token of input costs 1 micro-USD, one of an image that is made 2, one of a thought 3. */
  private static Scenario scenario(long cachedInput, long imageInput) {
    var alpha = TestCatalog.with(TestCatalog.ofDialect("gemini", "alpha"), 4 << 20);
    var tokens =
        new TokenPrices(
            MICRO,
            cachedInput * MICRO,
            MICRO,
            MICRO,
            MICRO,
            imageInput * MICRO,
            2 * MICRO,
            3 * MICRO,
            2 * MICRO);
    var catalog = TestCatalog.of(Modality.IMAGE, PriceList.ofTokens(tokens), alpha);
    return Scenario.of(catalog, 16 << 20);
  }

  private static String with(String members) {
    return ASK.replace("}", "," + members + "}");
  }

  private static String sent(Scenario scenario) {
    String received = scenario.link(0).received();
    return received.substring(received.indexOf("\r\n\r\n") + 4);
  }

  private static RecordedClient answered(Scenario scenario, String body) {
    RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
    scenario.link(0).send(OpenAiWire.response(200, "OK", "", body));
    return client;
  }

  @Test
  void wordsAndImagesAreParts() {
    try (var scenario = scenario()) {
      String images = "\"input_images\":[\"data:image/jpg;base64,\\/9j\\/4AAQSkZJRgAB\"]";
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, with(images + ",\"style\":\"x\""));
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1beta/models/one-at-alpha:generateContent HTTP/1.1\r\n");
      assertThat(sent(scenario))
          .isEqualTo(
              "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"A \\\"gate\\\".\"},"
                  + "{\"inlineData\":{\"mimeType\":\"image/jpeg\",\"data\":\"\\/9j\\/4AAQSkZJRgAB\"}}]}],"
                  + "\"generationConfig\":{\"responseModalities\":[\"IMAGE\"]}}");
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", one("")));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().attempts().getFirst().unsent()).containsExactly("style");
    }
  }

  @Test
  void theFilesOfAFormAreParts() {
    try (var scenario = scenario()) {
      String form =
          OpenAiWire.pictures(
              List.of("image[]", "image[]"),
              "At \"night\".",
              "size=1024x768",
              "response_format=b64_json",
              "style=x");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, form);
      String image = "{\"inlineData\":{\"mimeType\":\"image/gif\",\"data\":\"R0lGODlhLi4uLi4u\"}}";
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1beta/models/one-at-alpha:generateContent HTTP/1.1\r\n")
          .contains("\r\ncontent-type: application/json\r\n");
      assertThat(sent(scenario))
          .isEqualTo(
              "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"At \\\"night\\\".\"},"
                  + image
                  + ","
                  + image
                  + "]}],\"generationConfig\":{\"responseModalities\":[\"IMAGE\"],"
                  + "\"imageConfig\":{\"aspectRatio\":\"4:3\"}}}");
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", one("")));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().attempts().getFirst().unsent()).containsExactly("style");
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  private static String one(String more) {
    return "{\"candidates\":[{\"content\":{\"parts\":[{\"thought\":true,\"inlineData\":{\"data\":\"AA==\"}},"
        + "{\"text\":\"Here.\"},{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"iVBO\"}}]},"
        + "\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":5,"
        + "\"candidatesTokenCount\":1290,\"thoughtsTokenCount\":10,\"totalTokenCount\":1305}"
        + more
        + "}";
  }

  @Test
  void whatIsMadeIsAnImageOfOpenAis() {
    try (var scenario = scenario()) {
      JsonNode got = ClientView.tree(answered(scenario, one("")).whole().body());
      assertThat(got.path("data")).hasToString("[{\"b64_json\":\"iVBO\"}]");
      assertThat(got.path("provider").asText()).isEqualTo("alpha");
      assertThat(got.path("created").longValue()).isPositive();
      assertThat(got.at("/usage/images").intValue()).isOne();
      assertThat(got.at("/usage/x_llm_cost_micro").intValue()).isEqualTo(5 + 2 * 1290 + 3 * 10);
    }
  }

  @Test
  void imagesOfThePromptAndWhatWasCachedHavePricesOfTheirOwn() {
    try (var scenario = scenario(0, 10)) {
      String body =
          "{\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{\"data\":\"AA==\"}}]}}],"
              + "\"usageMetadata\":{\"promptTokenCount\":150,\"cachedContentTokenCount\":20,"
              + "\"candidatesTokenCount\":1,\"promptTokensDetails\":["
              + "{\"modality\":\"TEXT\",\"tokenCount\":50},"
              + "{\"modality\":\"IMAGE\",\"tokenCount\":100}]}}";
      JsonNode got = ClientView.tree(answered(scenario, body).whole().body());
      assertThat(got.at("/usage/prompt_tokens_details/image_tokens").intValue()).isEqualTo(100);
      assertThat(got.at("/usage/x_llm_cost_micro").intValue()).isEqualTo(30 + 10 * 100 + 2);
    }
  }

  @ParameterizedTest
  @CsvSource({"1024x1024,1:1", "1536x1024,3:2", "1024x1536,2:3", "1920x1080,16:9", "99x1,21:9"})
  void aSizeIsTheNearestRatio(String size, String ratio) {
    try (var scenario = scenario()) {
      RecordedClient client =
          scenario.ask(Endpoint.IMAGE_GENERATIONS, with("\"size\":\"" + size + "\""));
      assertThat(sent(scenario)).contains("\"imageConfig\":{\"aspectRatio\":\"" + ratio + "\"}");
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", one("")));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"}}",
        "{\"candidates\":[{\"finishReason\":\"IMAGE_SAFETY\",\"content\":{}}]}"
      })
  void aRefusalIsTheClientsMatter(String body) {
    try (var scenario = scenario()) {
      Fault fault = answered(scenario, body).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(scenario.served().cost().value()).isZero();
    }
  }

  @Test
  void wordsAloneAreNoImage() {
    try (var scenario = scenario()) {
      String words =
          "{\"candidates\":[{\"finishReason\":\"STOP\",\"content\":{\"parts\":[{\"text\":\"No.\"}]}}]}";
      Fault fault = answered(scenario, words).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.PROVIDER_FAILURE);
      assertThat(fault.shouldRetry()).isFalse();
    }
  }

  @Test
  void whatItCannotDoIsSaidBeforeItIsAsked() {
    try (var scenario = scenario()) {
      assertThat(scenario.ask(Endpoint.IMAGE_GENERATIONS, with("\"n\":2")).fault().param())
          .isEqualTo("n");
      String form = OpenAiWire.pictures("p", "response_format=b64_json");
      assertThat(scenario.ask(Endpoint.IMAGE_EDITS, form).fault().param()).isEqualTo("mask");
      String url = ASK.replace("b64_json", "url");
      assertThat(scenario.ask(Endpoint.IMAGE_GENERATIONS, url).fault().code())
          .isEqualTo(ErrorCode.NOT_CONFIGURED);
      assertThat(scenario.links()).isZero();
    }
  }

  static List<WireCase> cases() {
    return WireCase.family("gemini").stream()
        .filter(one -> one.name().contains("/image-output"))
        .toList();
  }

  @Test
  @Tag("corpus")
  void theCorpusIsAllThere() {
    assertThat(cases()).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Tag("corpus")
  void whatWasRecordedArrivesHoweverItIsCut(WireCase one) {
    byte[] body = one.response();
    for (int piece : new int[] {body.length, Math.max(1, body.length / 500), 4_093}) {
      try (var scenario = scenario()) {
        RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
        scenario
            .link(0)
            .send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                    .formatted(body.length));
        for (int from = 0; from < body.length; from += piece) {
          scenario.link(0).send(body, from, Math.min(body.length, from + piece));
        }
        JsonNode sent = ClientView.tree(new String(body, UTF_8));
        JsonNode got = ClientView.tree(client.whole().body());
        int data = 0;
        for (JsonNode part : sent.at("/candidates/0/content/parts")) {
          if (part.has("inlineData")) {
            assertThat(got.path("data").get(data++).path("b64_json"))
                .isEqualTo(part.at("/inlineData/data"));
          }
        }
        assertThat(got.path("data")).hasSize(data);
        long tokens =
            sent.at("/usageMetadata/promptTokenCount").longValue()
                + 2 * sent.at("/usageMetadata/candidatesTokenCount").longValue();
        assertThat(got.at("/usage/x_llm_cost_micro").longValue()).isEqualTo(tokens);
      }
    }
  }
}
