package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.embedding.Base64Vectors;
import dev.tollgate.core.api.embedding.EmbeddingRequest;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.TestCatalog;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Embedding requests to Gemini, and their replies. */
@Tag("corpus")
class GeminiEmbeddingsTest {
  private static final Route ROUTE =
      new Route(TestCatalog.ofDialect("gemini", "g"), "gemini-embedding-001", 1, 1);
  private static final EmbeddingTranslation TRANSLATION =
      Dialects.named("gemini").embeddings().orElseThrow();

  private static TranslatedRequest request(String json) throws Exception {
    byte[] bytes = json.getBytes(UTF_8);
    return TRANSLATION.request(JsonMembers.of(bytes, 0, bytes.length), ROUTE);
  }

  @Test
  void oneRequestForEachTextIsWhatWasRecorded() throws Exception {
    TranslatedRequest sent =
        request(
            "{\"model\":\"g/e\",\"input\":\"Some text goes here\",\"dimensions\":768,"
                + "\"encoding_format\":\"base64\"}");
    assertThat(sent.dropped()).isEmpty();
    byte[] recorded =
        Corpora.bytes(
            Corpora.path("wire/fixtures/gemini/embed-batch--gemini-embedding-001.request.json"));
    assertThat(ClientView.tree(sent.body().toString(UTF_8)))
        .isEqualTo(ClientView.tree(new String(recorded, UTF_8)));
    assertThat(Dialects.named("gemini").target(Operation.EMBEDDING, ROUTE, false))
        .endsWith("/models/gemini-embedding-001:batchEmbedContents");
  }

  @Test
  void whatItHasNothingLikeIsNamed() throws Exception {
    TranslatedRequest sent =
        request("{\"input\":[\"a\",\"b\",[1,2]],\"user\":\"u\",\"task_type\":\"CLUSTERING\"}");
    assertThat(sent.dropped()).containsExactly("input[2]");
    JsonNode requests = ClientView.tree(sent.body().toString(UTF_8)).path("requests");
    assertThat(requests).hasSize(2);
    assertThat(requests.path(1).path("content").path("parts").path(0).path("text").asText())
        .isEqualTo("b");
    assertThat(requests.path(1).path("taskType").asText()).isEqualTo("CLUSTERING");
  }

  @Test
  void itsVectorsAreListedAsOpenAiListsThemAlsoInBase64() {
    byte[] recorded =
        Corpora.bytes(
            Corpora.path("wire/fixtures/gemini/embed-batch--gemini-embedding-001.response.json"));
    JsonNode values =
        ClientView.tree(new String(recorded, UTF_8)).path("embeddings").path(0).path("values");
    TranslatedReply reply = TRANSLATION.reply(recorded, recorded.length);
    JsonNode listed = ClientView.tree(new String(reply.bytes(), 0, reply.length(), UTF_8));
    JsonNode entry = listed.path("data").path(0);
    assertThat(entry.path("object").asText()).isEqualTo("embedding");
    assertThat(entry.path("index").asInt()).isZero();
    assertThat(entry.path("embedding")).isEqualTo(values).hasSize(768);
    byte[] packed = Base64Vectors.of(reply.bytes(), reply.length()).orElseThrow();
    String base64 =
        ClientView.tree(new String(packed, UTF_8)).path("data").path(0).path("embedding").asText();
    ByteBuffer floats =
        ByteBuffer.wrap(Base64.getDecoder().decode(base64)).order(ByteOrder.LITTLE_ENDIAN);
    for (JsonNode value : values) {
      assertThat(floats.getFloat()).isEqualTo((float) value.doubleValue());
    }
    assertThat(floats.hasRemaining()).isFalse();
    assertThat(Base64Vectors.of(packed, packed.length)).isEmpty();
  }

  @Test
  void aClientThatRequestsBase64GetsIt() {
    byte[] body =
        "{\"model\":\"acme/one\",\"input\":\"a\",\"encoding_format\":\"base64\"}".getBytes(UTF_8);
    byte[] plain = "{\"model\":\"acme/one\",\"input\":\"a\"}".getBytes(UTF_8);
    assertThat(parsed(body).wantsBase64()).isTrue();
    assertThat(parsed(plain).wantsBase64()).isFalse();
  }

  private static EmbeddingRequest parsed(byte[] body) {
    return ((ParseResult.Valid<EmbeddingRequest>) EmbeddingRequest.parse(body, body.length))
        .request();
  }

  @Test
  void theUsageIsOpenAis() {
    byte[] body =
        "{\"embeddings\":[{\"values\":[0.5]}],\"usageMetadata\":{\"promptTokenCount\":4}}"
            .getBytes(UTF_8);
    TranslatedReply reply = TRANSLATION.reply(body, body.length);
    assertThat(
            ClientView.tree(new String(reply.bytes(), 0, reply.length(), UTF_8))
                .path("usage")
                .path("prompt_tokens")
                .asInt())
        .isEqualTo(4);
  }
}
