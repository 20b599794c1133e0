package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.BadRequestException;
import com.openai.models.embeddings.CreateEmbeddingResponse;
import com.openai.models.embeddings.Embedding;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams.EncodingFormat;
import dev.tollgate.core.testkit.RawResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Embeddings through the real program, with the official Java SDK and over raw sockets. */
class EmbeddingsIT {
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(SharedNode.node().baseUrl().toString())
          .apiKey(SharedNode.key())
          .maxRetries(0)
          .build();

  @AfterAll
  static void nothingIsLeftBehind() {
    CLIENT.close();
    SharedNode.node().admin().awaitIdle();
  }

  private static EmbeddingCreateParams.Builder ask() {
    return EmbeddingCreateParams.builder().model("test/embedding").dimensions(8);
  }

  @Test
  void theSdksUsualBase64AndNumbersAreTheSameVectors() {
    CreateEmbeddingResponse usual =
        CLIENT.embeddings().create(ask().inputOfArrayOfStrings(List.of("a", "b", "a")).build());
    CreateEmbeddingResponse numbers =
        CLIENT
            .embeddings()
            .create(
                ask()
                    .inputOfArrayOfStrings(List.of("a", "b", "a"))
                    .encodingFormat(EncodingFormat.FLOAT)
                    .build());

    usual.validate();
    numbers.validate();
    assertThat(usual.model()).isEqualTo("test/embedding");
    assertThat(usual.data()).extracting(Embedding::index).containsExactly(0L, 1L, 2L);
    assertThat(usual.data()).allMatch(each -> each.embedding().size() == 8);
    assertThat(usual.data().get(2).embedding()).isEqualTo(usual.data().get(0).embedding());
    assertThat(usual.data().get(1).embedding()).isNotEqualTo(usual.data().get(0).embedding());
    assertThat(numbers.data())
        .extracting(Embedding::embedding)
        .isEqualTo(usual.data().stream().map(Embedding::embedding).toList());
    assertThat(usual.usage().promptTokens()).isPositive();
    assertThat(usual.usage().totalTokens()).isEqualTo(usual.usage().promptTokens());
  }

  @Test
  void inputsMayBeTokens() {
    var one = CLIENT.embeddings().create(ask().inputOfArrayOfTokens(List.of(1L, 2L)).build());
    var two =
        CLIENT
            .embeddings()
            .create(ask().inputOfArrayOfTokenArrays(List.of(List.of(1L), List.of(2L))).build());
    assertThat(one.data()).hasSize(1);
    assertThat(two.data()).hasSize(2);
  }

  @Test
  void aLargeReplyArrivesWholeWithItsCost() {
    RawResponse reply = EmbeddingRequests.ask("test/embedding", SharedNode.key());
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.text().length()).isGreaterThan(30_000);
    JsonNode got = Json.tree(reply.text());
    assertThat(got.path("object").asText()).isEqualTo("list");
    assertThat(got.path("data")).hasSize(2);
    assertThat(got.path("data").path(1).path("embedding")).hasSize(1_536);
    assertThat(got.path("provider").asText()).isEqualTo("mock");
    JsonNode usage = got.path("usage");
    assertThat(usage.path("x_llm_cost_micro").asInt()).isOne();
    assertThat(usage.has("completion_tokens")).isFalse();
    assertThat(usage.has("x_llm_usage_estimated")).isFalse();
    assertThat(reply.header("x-llm-cost-micro")).isEqualTo("1");
    assertThat(reply.header("x-llm-model")).isEqualTo("test/embedding");
    assertThat(reply.header("server-timing")).contains("upstream;dur=");
  }

  @Test
  void missingUsageIsEstimated() {
    RawResponse reply = EmbeddingRequests.ask("test/embedding-no-usage", SharedNode.key());
    JsonNode usage = Json.tree(reply.text()).path("usage");
    assertThat(usage.path("x_llm_usage_estimated").asBoolean()).isTrue();
    assertThat(usage.path("prompt_tokens").asInt()).isPositive();
    assertThat(usage.path("total_tokens")).isEqualTo(usage.path("prompt_tokens"));
    assertThat(usage.path("x_llm_cost_micro").asInt()).isOne();
  }

  @Test
  void aModelOfAnotherModalityIsRefusedByName() {
    for (var ask :
        List.<Runnable>of(
            () -> CLIENT.embeddings().create(ask().model("test/chat").input("a").build()),
            () -> CLIENT.embeddings().create(ask().model("test/embedding").input("").build()))) {
      var error = catchThrowableOfType(BadRequestException.class, ask::run);
      assertThat(error.code()).contains("validation_failed");
      assertThat(error.param().orElseThrow()).isIn("model", "input");
    }
    RawResponse chat = ChatRequests.ask(SharedNode.node(), "test/embedding");
    assertThat(chat.status()).isEqualTo(400);
    assertThat(Json.tree(chat.text()).path("error").path("param").asText()).isEqualTo("model");
  }

  @Test
  void metricsCountItUnderItsRoute() {
    EmbeddingRequests.ask("test/embedding", SharedNode.key());
    assertThat(SharedNode.node().admin().get("/metrics").body())
        .contains("route=\"/v1/embeddings\"")
        .contains("model=\"test/embedding\"");
  }
}
