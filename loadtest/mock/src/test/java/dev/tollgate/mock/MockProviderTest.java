package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Healthy replies of the mock provider: content, timing and counts. */
class MockProviderTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  @RegisterExtension static final RunningMock MOCK = new RunningMock();
  private RawClient client;

  @BeforeEach
  void connect() {
    client = MOCK.client();
  }

  @Test
  void aPlainReplyIsAChatCompletionWithUsage() throws Exception {
    String body = "{\"model\":\"any/thing\",\"messages\":[]}";
    RawResponse reply = client.post("/v1/chat/completions", body).readResponse();
    JsonNode json = JSON.readTree(reply.body());
    assertThat(reply.status()).isEqualTo(200);
    assertThat(json.path("object").asText()).isEqualTo("chat.completion");
    assertThat(json.path("model").asText()).isEqualTo("any/thing");
    assertThat(json.at("/choices/0/message/role").asText()).isEqualTo("assistant");
    assertThat(json.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(json.at("/usage/prompt_tokens").asInt()).isEqualTo((body.length() + 3) / 4);
    assertThat(json.at("/usage/completion_tokens").asInt()).isEqualTo(8);
  }

  @Test
  void aStreamHasTheContentOfThePlainReply() throws Exception {
    String plain =
        JSON.readTree(chat("{\"model\":\"m?chunks=300\"}").body())
            .at("/choices/0/message/content")
            .asText();
    List<JsonNode> chunks = chunks(chat("{\"stream\":true,\"model\":\"m?chunks=300\"}"));
    StringBuilder streamed = new StringBuilder();
    chunks.forEach(c -> streamed.append(c.at("/choices/0/delta/content").asText()));
    assertThat(streamed.toString()).isEqualTo(plain).contains("日本語", "🙂", "\"please\"");
    assertThat(chunks.getFirst().at("/choices/0/delta/role").asText()).isEqualTo("assistant");
    assertThat(chunks.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    assertThat(chunks).hasSize(302).noneMatch(c -> c.has("usage"));
  }

  @Test
  void usageIsStreamedOnlyOnRequest() throws Exception {
    List<JsonNode> chunks =
        chunks(
            chat("{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true}}"));
    assertThat(chunks.getLast().path("choices")).isEmpty();
    assertThat(chunks.getLast().at("/usage/completion_tokens").asInt()).isEqualTo(8);
    assertThat(chunks.getFirst().get("usage").isNull()).isTrue();
  }

  @Test
  void equalRequestsGetEqualBytesAndSeedsDiffer() throws Exception {
    String request = "{\"model\":\"m\",\"stream\":true}";
    assertThat(chat(request).raw()).isEqualTo(chat(request).raw());
    String seeded = "{\"model\":\"m?seed=2\",\"stream\":true}";
    assertThat(chat(seeded).text()).isNotEqualTo(chat(request).text());
    try (MockProvider other = MockProvider.start(MockProfile.IMMEDIATE, 0, 2);
        RawClient fresh = RawClient.connect(other.port())) {
      assertThat(fresh.post("/v1/chat/completions", request).readResponse().raw())
          .isEqualTo(chat(request).raw());
    }
  }

  @Test
  void maxTokensCutsTheReplyShort() throws Exception {
    JsonNode json = JSON.readTree(chat("{\"model\":\"m\",\"max_tokens\":3}").body());
    assertThat(json.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    assertThat(json.at("/usage/completion_tokens").asInt()).isEqualTo(3);
    List<JsonNode> chunks =
        chunks(chat("{\"model\":\"m\",\"stream\":true,\"max_completion_tokens\":2}"));
    assertThat(chunks).hasSize(4);
    assertThat(chunks.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("length");
  }

  @Test
  void aRequiredToolIsCalled() throws Exception {
    String tools =
        """
        "tools":[{"type":"function","function":{"name":"weather","parameters":{}}}]""";
    assertThat(chat("{\"model\":\"m\"," + tools + "}").text()).doesNotContain("tool_calls");
    String required = "{\"model\":\"m\"," + tools + ",\"tool_choice\":\"required\"";
    JsonNode call =
        JSON.readTree(chat(required + "}").body()).at("/choices/0/message/tool_calls/0/function");
    assertThat(call.path("name").asText()).isEqualTo("weather");
    StringBuilder arguments = new StringBuilder();
    List<JsonNode> chunks = chunks(chat(required + ",\"stream\":true}"));
    chunks.forEach(
        c -> arguments.append(c.at("/choices/0/delta/tool_calls/0/function/arguments").asText()));
    assertThat(arguments.toString()).isEqualTo(call.path("arguments").asText());
    assertThat(JSON.readTree(arguments.toString()).has("query")).isTrue();
    assertThat(chunks.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("tool_calls");
    assertThat(chat("{\"model\":\"m?tool=true\"}").text()).contains("\"name\":\"lookup\"");
  }

  @Test
  void equalTextsGetEqualVectorsOfLengthOne() throws Exception {
    JsonNode floats = embeddings("[\"a\",\"b,]\\\"\", \"a\"]", "\"dimensions\":5");
    JsonNode base64 =
        embeddings("[\"a\",\"b\"]", "\"encoding_format\":\"base64\",\"dimensions\":5");
    assertThat(floats.path("object").asText()).isEqualTo("list");
    assertThat(floats.path("data")).hasSize(3);
    JsonNode first = floats.at("/data/0/embedding");
    assertThat(first).hasSize(5);
    assertThat(floats.at("/data/2/embedding")).isEqualTo(first);
    assertThat(floats.at("/data/1/embedding")).isNotEqualTo(first);
    double squares = 0;
    var bytes = ByteBuffer.wrap(base64.at("/data/0/embedding").binaryValue());
    for (JsonNode number : first) {
      squares += number.doubleValue() * number.doubleValue();
      assertThat(bytes.order(ByteOrder.LITTLE_ENDIAN).getFloat()).isEqualTo(number.floatValue());
    }
    assertThat(bytes.hasRemaining()).isFalse();
    assertThat(squares).isBetween(0.999, 1.001);
    assertThat(floats.path("usage")).hasSize(2);
    assertThat(floats.at("/usage/prompt_tokens").asInt()).isPositive();
  }

  @Test
  void textsOfAnEmbeddingAreStringsOrTokens() throws Exception {
    assertThat(embeddings("\"one\"", "\"user\":\"u\"").path("data")).hasSize(1);
    assertThat(embeddings("\"one\"", "\"user\":\"u\"").at("/data/0/embedding")).hasSize(1_536);
    assertThat(embeddings("[1,2, 3]", "\"dimensions\":2").path("data")).hasSize(1);
    assertThat(embeddings("[[1,2],[3]]", "\"dimensions\":2").path("data")).hasSize(2);
  }

  private JsonNode embeddings(String input, String more) throws Exception {
    String body = "{\"model\":\"m\",\"input\":" + input + "," + more + "}";
    return JSON.readTree(client.post("/v1/embeddings", body).readResponse().body());
  }

  @Test
  void imagesHaveTheRequestedSize() throws Exception {
    JsonNode drawn = pictures("m", ",\"n\":2,\"size\":\"640x48\",\"response_format\":\"b64_json\"");
    assertThat(drawn.path("data")).hasSize(2);
    byte[] first = drawn.at("/data/0/b64_json").binaryValue();
    byte[] second = drawn.at("/data/1/b64_json").binaryValue();
    assertThat(first).isNotEqualTo(second);
    for (byte[] one : List.of(first, second)) {
      requirePicture(one, 640, 48);
    }
    assertThat(drawn.has("usage")).isFalse();
  }

  @Test
  void imagesAreServedAtTheUrlsOfTheReply() throws Exception {
    JsonNode drawn = pictures("m", "");
    String url = drawn.at("/data/0/url").asText();
    assertThat(url).startsWith("http://localhost/_mock/images/1024x1024-");
    RawResponse file = client.get(url.substring("http://localhost".length())).readResponse();
    assertThat(file.header("content-type")).isEqualTo("image/png");
    requirePicture(file.body(), 1_024, 1_024);
    for (String other : List.of("0x5-1.png", "5x4097-1.png", "5x5.png", "a.png")) {
      assertThat(client.get("/_mock/images/" + other).readResponse().status()).isEqualTo(404);
    }
  }

  @Test
  void gptImageModelsCountTokensAndReturnBase64Only() throws Exception {
    JsonNode drawn = pictures("gpt-image-1", ",\"size\":\"64x64\"");
    assertThat(drawn.at("/data/0/b64_json").asText()).isNotEmpty();
    assertThat(drawn.at("/usage/output_tokens").intValue()).isEqualTo(4);
    String asked = "{\"model\":\"gpt-image-1\",\"response_format\":\"url\"}";
    assertThat(client.post("/v1/images/generations", asked).readResponse().status()).isEqualTo(400);
  }

  @Test
  void aFormReturnsImagesToo() throws Exception {
    String head = "--b\r\nContent-Disposition: form-data; name=\"";
    String form =
        head
            + "model\"\r\n\r\nm\r\n"
            + head
            + "size\"\r\n\r\n64x32\r\n"
            + head
            + "n\"\r\n\r\n3\r\n"
            + head
            + "response_format\"\r\n\r\nb64_json\r\n"
            + head
            + "image\"; filename=\"a.png\"\r\n\r\nPNG\r\n--b--\r\n";
    JsonNode drawn = JSON.readTree(client.post("/v1/images/edits", form).readResponse().body());
    assertThat(drawn.path("data")).hasSize(3);
    requirePicture(drawn.at("/data/2/b64_json").binaryValue(), 64, 32);
  }

  @Test
  void unsupportedSizesAreRejected() {
    for (String size : List.of("big", "0x5", "5x0", "4097x5", "5", "x", "5x", "-5x5")) {
      String asked = "{\"model\":\"m\",\"size\":\"" + size + "\"}";
      RawResponse refused = client.post("/v1/images/generations", asked).readResponse();
      assertThat(refused.status()).as(size).isEqualTo(400);
    }
  }

  private JsonNode pictures(String model, String more) throws Exception {
    String body = "{\"model\":\"" + model + "\",\"prompt\":\"A gate.\"" + more + "}";
    return JSON.readTree(client.post("/v1/images/generations", body).readResponse().body());
  }

  private static void requirePicture(byte[] file, int width, int height) throws Exception {
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(file));
    assertThat(image.getWidth()).isEqualTo(width);
    assertThat(image.getHeight()).isEqualTo(height);
    assertThat(image.getRGB(0, 0)).isNotEqualTo(image.getRGB(40, 0));
  }

  @Test
  void completionsStreamText() throws Exception {
    List<JsonNode> chunks =
        chunks(
            client
                .post("/v1/completions", "{\"model\":\"m\",\"stream\":true,\"prompt\":\"x\"}")
                .readResponse());
    assertThat(chunks.getFirst().path("object").asText()).isEqualTo("text_completion");
    assertThat(chunks).hasSize(9);
    assertThat(chunks.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
  }

  @Test
  void chunksAreSentOnSchedule() {
    long startNanos = System.nanoTime();
    client.post(
        "/v1/chat/completions",
        "{\"model\":\"m?ttft=80ms&interval=30ms&chunks=5\",\"stream\":true}");
    client.readUntil("\"role\"");
    assertThat(System.nanoTime() - startNanos).isBetween(millis(80), millis(2_000));
    client.readUntil("[DONE]");
    assertThat(System.nanoTime() - startNanos).isBetween(millis(80 + 6 * 30), millis(4_000));
  }

  @Test
  void aPlainReplyTakesAsLongAsItsStream() {
    long startNanos = System.nanoTime();
    chat("{\"model\":\"m?ttft=40ms&interval=20ms&chunks=4\"}");
    assertThat(System.nanoTime() - startNanos).isBetween(millis(120), millis(3_000));
  }

  @Test
  void aRequestMayArriveInAnyPieces() {
    String body = "{\"messages\":[{\"content\":\"\\\"model\\\" {[\"}],\"model\":\"m\"}";
    String request =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\ncontent-length: %d\r\n\r\n%s"
            .formatted(body.length(), body);
    client.sendSplit(1, request.getBytes(UTF_8));
    assertThat(client.readResponse().text()).contains("\"model\":\"m\"");
    client.send(
        """
        POST /v1/chat/completions HTTP/1.1\r
        Host: x\r
        Transfer-Encoding: chunked\r
        \r
        5\r
        {"mod\r
        8;x=1\r
        el":"n"}\r
        0\r
        \r
        """);
    assertThat(client.readResponse().text()).contains("\"model\":\"n\"");
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() {
    for (int i = 0; i < 50; i++) {
      client.post("/v1/chat/completions", "{\"model\":\"m" + i + "\"}");
    }
    for (int i = 0; i < 50; i++) {
      assertThat(client.readResponse().text()).contains("\"model\":\"m" + i + "\"");
    }
  }

  @Test
  void aClientThatExpectsContinueReceivesIt() {
    client.send(
        "POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n");
    assertThat(client.readResponse().status()).isEqualTo(100);
    assertThat(client.send("{\"model\":\"m\"}").readResponse().status()).isEqualTo(200);
  }

  @Test
  void unknownFaultsAndParametersAreErrors() {
    for (String model :
        List.of(
            "fault/stal",
            "fault/",
            "fault/429-bare:3",
            "a/fault/stall:x",
            "m?chunk=3",
            "m?ttft=soon",
            "m?chunks=-1")) {
      RawResponse reply = chat("{\"model\":\"" + model + "\"}");
      assertThat(reply.status()).as(model).isEqualTo(404);
      assertThat(reply.text()).contains("model_not_found");
    }
    assertThat(chat("{}").status()).isEqualTo(400);
    assertThat(client.get("/v2/nothing").readResponse().status()).isEqualTo(404);
  }

  @Test
  void modelsAreListed() throws Exception {
    JsonNode models = JSON.readTree(client.get("/v1/models").readResponse().body());
    assertThat(models.path("data")).hasSize(2 + FaultCatalog.all().size());
  }

  @Test
  void disconnectsAreCountedAtOnceByFinAndByRst() throws Exception {
    for (Disconnect.How how : Disconnect.How.values()) {
      long before = MOCK.provider().stats().disconnects();
      RawClient leaver = RawClient.connect(MOCK.port());
      leaver.post("/v1/chat/completions", "{\"model\":\"m?interval=1s\",\"stream\":true}");
      leaver.readUntil("\"role\"");
      assertThat(MOCK.provider().stats().inFlight()).isOne();
      long leftNanos = System.nanoTime();
      if (how == Disconnect.How.RST) {
        leaver.reset();
      } else {
        leaver.close();
      }
      MockStats seen = MOCK.provider().await(s -> s.disconnects() > before, Duration.ofSeconds(5));
      Disconnect last = seen.lastDisconnects().getLast();
      assertThat(last.how()).isEqualTo(how);
      assertThat(last.model()).isEqualTo("m?interval=1s");
      assertThat(last.atNanos() - leftNanos).isBetween(0L, millis(2_000));
      assertThat(seen.inFlight()).isZero();
    }
    JsonNode stats = JSON.readTree(client.get("/_mock/stats").readResponse().body());
    assertThat(stats.path("disconnects").asInt()).isGreaterThanOrEqualTo(2);
    assertThat(stats.path("last_disconnects").get(0).path("ago_ms").isNumber()).isTrue();
  }

  @Test
  void aStalledReaderBlocksNoOtherAndIsServedLater() throws Exception {
    try (RawClient slow = RawClient.connectNarrow(MOCK.port(), 4096)) {
      slow.post("/v1/chat/completions", "{\"model\":\"m?chunks=20000&batch=1\",\"stream\":true}");
      slow.peekAtLeast(1);
      assertThat(chat("{\"model\":\"m\"}").status()).isEqualTo(200);
      assertThat(chunks(slow.readResponse())).hasSize(20_002);
    }
  }

  private RawResponse chat(String body) {
    return client.post("/v1/chat/completions", body).readResponse();
  }

  private static long millis(int count) {
    return count * 1_000_000L;
  }

  static List<JsonNode> chunks(RawResponse stream) throws Exception {
    List<String> events = stream.events();
    assertThat(events.getLast()).isEqualTo("data: [DONE]");
    List<JsonNode> chunks = new ArrayList<>();
    for (String event : events.subList(0, events.size() - 1)) {
      chunks.add(JSON.readTree(event.substring("data: ".length())));
    }
    return chunks;
  }
}
