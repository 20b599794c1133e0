package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.WireCase;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One request for images in the words of each server that speaks OpenAI in its own way. */
class ImageSpellingTest {
  private static final String REPLY = "{\"data\":[{\"url\":\"https://made.example/1.png\"}]}";

  private static Scenario scenario(Provider provider) {
    var scenario = Scenario.of(TestCatalog.of(Modality.IMAGE, provider), 8 << 20);
    scenario.names().answer("good.example", "93.184.216.34");
    return scenario;
  }

  private static Scenario scenario(KnownServer server) {
    return scenario(TestCatalog.like(server, "alpha"));
  }

  private static String ask(String members) {
    return "{\"model\":\"acme/one\",\"prompt\":\"p\"" + members + "}";
  }

  private static String sent(Scenario scenario, int link) {
    String received = scenario.link(link).received();
    return received.substring(received.indexOf("\r\n\r\n") + 4);
  }

  private static void answer(Scenario scenario, RecordedClient client) {
    scenario.link(0).send(OpenAiWire.response(200, "OK", "", REPLY));
    assertThat(client.whole().status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "XAI, xai/images-generate--grok-imagine-image, generations",
    "XAI, xai/images-edit--grok-imagine-image-quality, edits",
    "TOGETHER, together/images--stable-diffusion-xl-base-1-0, generations"
  })
  @Tag("corpus")
  void whatIsSentIsWhatWasRecorded(KnownServer server, String recording, String path) {
    WireCase one =
        WireCase.family("openai-images").stream()
            .filter(it -> it.name().startsWith(recording))
            .findFirst()
            .orElseThrow();
    var recorded = (ObjectNode) ClientView.tree(new String(one.request(), UTF_8));
    recorded.put("model", "one-at-alpha");
    recorded.remove("inputs"); // an empty word for another kind of model
    ObjectNode ours = ours(recorded);
    try (var scenario = scenario(server)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ours.toString());
      assertThat(scenario.link(0).received()).startsWith("POST /v1/images/" + path + " ");
      assertThat(ClientView.tree(sent(scenario, 0))).isEqualTo(recorded);
      answer(scenario, client);
      assertThat(scenario.served().attempts().getFirst().unsent()).isEmpty();
    }
  }

  /** What a client says to us that becomes this. */
  private static ObjectNode ours(ObjectNode recorded) {
    ObjectNode ours = recorded.deepCopy().put("model", "acme/one");
    if (recorded.has("images")) {
      ArrayNode images = JsonNodeFactory.instance.arrayNode();
      recorded.path("images").forEach(image -> images.add(image.path("url")));
      ours.remove("images");
      ours.set("input_images", images);
    }
    if (recorded.path("response_format").asText().equals("base64")) {
      ours.put("response_format", "b64_json");
    }
    return ours;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "XAI | \"size\":\"1024x1536\" | \"aspect_ratio\":\"2:3\"",
        "XAI | \"size\":\"2048x1024\" | \"aspect_ratio\":\"2:1\"",
        "XAI | \"size\":\"16x9\",\"aspect_ratio\":\"1:1\" | \"aspect_ratio\":\"16:9\"",
        "XAI | \"aspect_ratio\":\"1:1\" | \"aspect_ratio\":\"1:1\"",
        "TOGETHER | \"size\":\"1024x768\" | \"width\":1024,\"height\":768",
        "TOGETHER | \"size\":\"1024x768\",\"width\":1 | \"height\":768,\"width\":1024",
        "TOGETHER | \"steps\":4,\"seed\":4,\"size\":null | \"seed\":4,\"size\":null"
      },
      quoteCharacter = '~')
  void aSizeIsSaidInItsWords(KnownServer server, String members, String said) {
    try (var scenario = scenario(server)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ask("," + members));
      assertThat(sent(scenario, 0))
          .isEqualTo("{\"model\":\"one-at-alpha\",\"prompt\":\"p\"," + said + "}");
      answer(scenario, client);
    }
  }

  @Test
  void oneImageIsAnAddressBesideTheWords() {
    try (var scenario = scenario(KnownServer.TOGETHER)) {
      String image =
          ",\"input_images\":[\"data:image\\/JPG\\u003bbase64\\u002C\\/9j\\/4AAQSkZJRgAB\"]";
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(image));
      assertThat(scenario.link(0).received()).startsWith("POST /v1/images/generations ");
      assertThat(ClientView.tree(sent(scenario, 0)).path("image_url").asText())
          .isEqualTo("data:image/jpeg;base64,/9j/4AAQSkZJRgAB");
      answer(scenario, client);
    }
  }

  @Test
  void theImageThatWasCountedStandsAlone() {
    try (var scenario = scenario(KnownServer.TOGETHER)) {
      String members =
          ",\"image_url\":null,\"input_images\":[\"iVBORw0KGgoAAAAN\"],\"image_url\":null";
      Fault fault = scenario.ask(Endpoint.IMAGE_EDITS, ask(members)).fault();
      assertThat(fault.param()).isEqualTo("image_url");
      assertThat(scenario.links()).isZero();
      String once = members.substring(0, members.lastIndexOf(','));
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(once));
      assertThat(sent(scenario, 0))
          .isEqualTo(
              "{\"model\":\"one-at-alpha\",\"prompt\":\"p\","
                  + "\"image_url\":\"data:image/png;base64,iVBORw0KGgoAAAAN\"}");
      answer(scenario, client);
    }
  }

  @Test
  void whatItDoesNotTakeIsNamed() {
    String members = ",\"quality\":\"hd\",\"style\":null,\"resolution\":\"2k\"";
    try (var scenario = scenario(KnownServer.XAI)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ask(members));
      assertThat(sent(scenario, 0)).isEqualTo("{\"model\":\"one-at-alpha\",\"prompt\":\"p\"}");
      answer(scenario, client);
      assertThat(scenario.served().attempts().getFirst().unsent())
          .containsExactly("quality", "resolution");
    }
    try (var scenario = scenario(KnownServer.XAI)) {
      String insisting = ",\"routing\":{\"require_parameters\":true}";
      Fault fault = scenario.ask(Endpoint.IMAGE_GENERATIONS, ask(members + insisting)).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("quality");
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TOGETHER | 5 | 1 | n",
        "TOGETHER | 1 | 2 | input_images",
        "XAI | 1 | 4 | input_images"
      })
  void whatItNeverDoesIsSaidBeforeItIsAsked(KnownServer server, int n, int images, String param) {
    String sources =
        String.join(
            ",",
            List.of(
                    "\"iVBORw0KGgoAAAAN\"",
                    "\"iVBORw0KGgoAAAAN\"",
                    "\"iVBORw0KGgoAAAAN\"",
                    "\"iVBORw0KGgoAAAAN\"")
                .subList(0, images));
    try (var scenario = scenario(server)) {
      String asked = ask(",\"n\":" + n + ",\"input_images\":[" + sources + "]");
      assertThat(scenario.ask(Endpoint.IMAGE_EDITS, asked).fault().param()).isEqualTo(param);
      String form = OpenAiWire.pictures(Collections.nCopies(images, "image[]"), "p", "n=" + n);
      assertThat(scenario.ask(Endpoint.IMAGE_EDITS, form).fault().param())
          .isEqualTo(param.equals("n") ? "n" : "image");
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "XAI | 2 | edits | \"aspect_ratio\":\"4:3\","
            + "\"images\":[{\"type\":\"image_url\",\"url\":\"GIF\"},{\"type\":\"image_url\",\"url\":\"GIF\"}]",
        "TOGETHER | 1 | generations | \"width\":1024,\"height\":768,\"image_url\":\"GIF\""
      },
      quoteCharacter = '~')
  void aFormIsJsonForWhoTakesNone(KnownServer server, int images, String path, String said) {
    try (var scenario = scenario(server)) {
      String form =
          OpenAiWire.pictures(
              Collections.nCopies(images, "image"),
              "\u00e9 \"p\"",
              "n=2",
              "user=",
              "seed=7",
              "routing=priority",
              "size=1024x768");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, form);
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1/images/" + path + " ")
          .contains("\r\ncontent-type: application/json\r\n");
      JsonNode sent = ClientView.tree(new String(sent(scenario, 0).getBytes(ISO_8859_1), UTF_8));
      String data = said.replace("GIF", "data:image/gif;base64,R0lGODlhLi4uLi4u");
      assertThat(sent)
          .isEqualTo(
              ClientView.tree(
                  "{\"prompt\":\"\u00e9 \\\"p\\\"\",\"n\":2,\"seed\":\"7\",\"model\":\"one-at-alpha\","
                      + data
                      + "}"));
      answer(scenario, client);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "image;mask | x=1 | mask",
        "image;sketch | x=1 | sketch",
        "image | seed=1;seed=2 | seed",
        "image | image_url=https://good.example/a | image_url"
      })
  void whatJsonHasNoWordForIsNamed(String files, String fields, String param) {
    try (var scenario = scenario(KnownServer.XAI)) {
      String form = OpenAiWire.pictures(List.of(files.split(";")), "p", fields.split(";"));
      Fault fault = scenario.ask(Endpoint.IMAGE_EDITS, form).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo(param);
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void aDeploymentOfAnyNameIsTheModelThatItIsSaidToBe() {
    Provider azure =
        TestCatalog.withModelNames(
            TestCatalog.addressed("azure", "alpha", "/openai/deployments/{deployment}", "?v=1"),
            Map.of("one-at-alpha", "gpt-image-1.5"));
    try (var scenario = scenario(azure)) {
      String bytes = ask(",\"response_format\":\"b64_json\"");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, bytes);
      assertThat(scenario.link(0).received())
          .startsWith("POST /openai/deployments/one-at-alpha/images/generations?v=1 ");
      assertThat(sent(scenario, 0)).isEqualTo("{\"model\":\"one-at-alpha\",\"prompt\":\"p\"}");
      answer(scenario, client);
      assertThat(scenario.ask(Endpoint.IMAGE_GENERATIONS, ask("")).fault().code())
          .as("it has no addresses, and nobody stores its bytes")
          .isEqualTo(ErrorCode.NOT_CONFIGURED);
    }
  }

  @Test
  void geminiGetsTheImageThatWasFetched() {
    try (var scenario = scenario(TestCatalog.ofDialect("gemini", "alpha"))) {
      String image = "GIF89a......";
      RecordedClient client =
          scenario.ask(
              Endpoint.IMAGE_EDITS,
              ask(
                  ",\"response_format\":\"b64_json\",\"input_images\":[\"https://good.example/a\","
                      + "\"iVBORw0KGgoAAAAN\"]"));
      scenario
          .link(0)
          .send(
              "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(image.length(), image)
                  .getBytes(ISO_8859_1));
      JsonNode parts = ClientView.tree(sent(scenario, 1)).at("/contents/0/parts");
      assertThat(parts)
          .hasToString(
              "[{\"text\":\"p\"},{\"inlineData\":{\"mimeType\":\"image/gif\",\"data\":"
                  + "\"R0lGODlhLi4uLi4u\"}},{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":"
                  + "\"iVBORw0KGgoAAAAN\"}}]");
      String made =
          "{\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{\"data\":\"AA==\"}}]}}]}";
      scenario.link(1).send(OpenAiWire.response(200, "OK", "", made));
      assertThat(client.whole().body()).contains("\"b64_json\":\"AA==\"");
    }
  }
}
