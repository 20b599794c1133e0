package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Media URLs in members that the gateway passes on without reading them. */
class UnreadMediaTest {
  private static final String METADATA = "https://169.254.169.254/l";
  private static final String URL = "https://good.example/cat.png";
  private static final String SOURCES = "\"input_images\":[\"" + URL + "\"],";

  private static Scenario scenario(Modality modality, RemoteMedia rule) {
    var provider = TestCatalog.with(TestCatalog.provider("alpha"), rule);
    var scenario = Scenario.of(TestCatalog.of(modality, provider));
    scenario.names().answer("good.example", "93.184.216.34");
    return scenario;
  }

  private static String image(String members) {
    return "{\"model\":\"acme/one\",\"prompt\":\"p\"," + members + "}";
  }

  private static String member(String name, String url) {
    return "\"" + name + "\":\"" + url + "\"";
  }

  @ParameterizedTest
  @CsvSource({
    "IMAGE_GENERATIONS, IMAGE, prompt, image_prompt",
    "IMAGE_GENERATIONS, IMAGE, prompt, control_image",
    "IMAGE_GENERATIONS, IMAGE, prompt, initImage",
    "IMAGE_GENERATIONS, IMAGE, prompt, url",
    "EMBEDDINGS, EMBEDDING, input, image",
    "COMPLETIONS, COMPLETION, prompt, image",
    "CHAT_COMPLETIONS, CHAT, user, image",
  })
  void isJudged(Endpoint endpoint, Modality modality, String text, String name) {
    try (var scenario = scenario(modality, RemoteMedia.JUDGE)) {
      String messages = "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],";
      for (String json :
          new String[] {
            "\"" + name + "\":\"U\"",
            "\"" + name + "\":[\"data:,\",\"U\"]",
            "\"extra\":{\"" + name + "\":{\"deep\":\"U\"}}"
          }) {
        String body =
            "{\"model\":\"acme/one\","
                + (text.equals("user") ? messages : "")
                + member(text, "p")
                + ","
                + json.replace("U", METADATA)
                + "}";
        assertThat(scenario.ask(endpoint, body).fault())
            .as(body)
            .returns(ErrorCode.SSRF_BLOCKED, Fault::code)
            .returns(400, fault -> fault.code().status());
      }
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void isPassedOnIfItIsPublic() {
    try (var scenario = scenario(Modality.IMAGE, RemoteMedia.JUDGE)) {
      RecordedClient client =
          scenario.ask(Endpoint.IMAGE_GENERATIONS, image(member("image_prompt", URL)));
      assertThat(scenario.link(0).received()).contains(member("image_prompt", URL));
      scenario.link(0).send(OpenAiWire.images(7, 1_290));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void isJudgedBeforeTheInputImagesAreFetched() {
    try (var scenario = scenario(Modality.IMAGE, RemoteMedia.JUDGE)) {
      String refused = image(SOURCES + member("control", METADATA));
      assertThat(scenario.ask(Endpoint.IMAGE_GENERATIONS, refused).fault())
          .returns(ErrorCode.SSRF_BLOCKED, Fault::code)
          .returns("control", Fault::param);
      assertThat(scenario.links()).isZero();
      RecordedClient client =
          scenario.ask(Endpoint.IMAGE_GENERATIONS, image(SOURCES + member("control", URL)));
      scenario
          .link(0)
          .send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nGIF89a......".getBytes(ISO_8859_1));
      assertThat(scenario.link(1).received()).contains(member("control", URL), "data:image/gif");
      scenario.link(1).send(OpenAiWire.images(7, 1_290));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void anInputImageThatCannotBeFetchedRefusesTheRequest() {
    try (var scenario = scenario(Modality.IMAGE, RemoteMedia.JUDGE)) {
      RecordedClient client =
          scenario.ask(Endpoint.IMAGE_GENERATIONS, image(SOURCES + member("control", URL)));
      scenario.link(0).send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      scenario.run();
      assertThat(client.fault().param()).isEqualTo("input_images[0]");
      assertThat(scenario.links()).isOne();
    }
  }

  @ParameterizedTest
  @CsvSource({"FETCH, cannot be sent inline", "REFUSE, is not supported"})
  void isRefusedWhereTheProviderTakesNoUrls(RemoteMedia rule, String why) {
    try (var scenario = scenario(Modality.IMAGE, rule)) {
      Fault fault = scenario.ask(Endpoint.IMAGE_GENERATIONS, image(member("control", URL))).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("control");
      assertThat(fault.message()).contains(why);
      assertThat(scenario.links()).isZero();
    }
  }
}
