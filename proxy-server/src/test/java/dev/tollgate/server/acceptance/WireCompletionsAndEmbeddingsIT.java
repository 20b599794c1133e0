package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.LosslessRelayCheck;
import dev.tollgate.core.api.WireCase;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every recorded text completion and embedding, replayed by a provider over a socket in one write,
 * in small and in random ones: the client gets the recorded result, and the exact cost.
 */
@Tag("corpus")
class WireCompletionsAndEmbeddingsIT {
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final int WRITES_MAX = 4_096;
  private static final List<WireCase> CASES =
      Stream.of("openai-completions", "openai-embeddings")
          .flatMap(family -> WireCase.family(family).stream())
          .toList();
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());

  /** Write sizes of the provider; the client selects them by a field of the request. */
  enum Cut {
    WHOLE,
    SMALL,
    RANDOM
  }

  static List<WireCase> cases() {
    return CASES;
  }

  private static ConfigBuilder setup() {
    ConfigBuilder setup = SharedNode.setup();
    for (int i = 0; i < CASES.size(); i++) {
      WireCase one = CASES.get(i);
      SharedNode.scripted().model("other-" + i, (request, to) -> replay(one, request, to));
      setup.model(
          "wire/other-" + i,
          isEmbedding(one) ? "embedding" : "completion",
          WirePrice.of(one.expect().path("cost")),
          new ConfigBuilder.Route("scripted", "other-" + i));
    }
    return setup;
  }

  private static boolean isEmbedding(WireCase one) {
    return one.meta().path("family").asText().equals("openai-embeddings");
  }

  @AfterAll
  static void stop() {
    NODE.admin().awaitIdle();
    NODE.close();
  }

  private static void replay(WireCase one, JsonNode request, ScriptedConnection to) {
    byte[] body = one.response();
    String type = one.isStream() ? "text/event-stream" : "application/json";
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(type, body.length);
    to.send(head.getBytes(ISO_8859_1));
    switch (Cut.valueOf(request.path("x_cut").asText())) {
      case WHOLE -> to.send(body);
      case SMALL -> to.sendSplit(Math.max(1, body.length / WRITES_MAX), body);
      case RANDOM -> to.sendSplit(new Random(one.name().hashCode()), body);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theReplyArrivesForAllWriteSizes(WireCase one) {
    for (Cut cut : Cut.values()) {
      RawResponse response;
      try (RawClient client = NODE.connect().within(ANSWER)) {
        String path = isEmbedding(one) ? "/v1/embeddings" : "/v1/completions";
        client.post(path, request(one, cut), SharedNode.authorization());
        response = client.readResponse();
      }
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      if (one.isStream()) {
        assertStream(one, ClientView.of(response.text()));
      } else {
        assertReply(one, Json.tree(response.text()));
      }
    }
  }

  private static String request(WireCase one, Cut cut) {
    String asked = isEmbedding(one) ? "input" : "prompt";
    return "{\"model\":\"wire/other-%d\",\"stream\":%b,\"x_cut\":\"%s\",\"%s\":\"Hi.\"}"
        .formatted(CASES.indexOf(one), one.isStream(), cut, asked);
  }

  private static void assertStream(WireCase one, ClientView view) {
    assertThat(view.done()).isTrue();
    String text =
        view.chunks().stream()
            .map(chunk -> chunk.at("/choices/0/text").asText())
            .collect(Collectors.joining());
    assertThat(text).isEqualTo(one.expectedChoice().path("text").asText());
    assertThat(view.finish()).isEqualTo(one.expectedChoice().path("finish").asText());
    assertCost(one, view.usage());
  }

  private static void assertReply(WireCase one, JsonNode reply) {
    JsonNode sent = Json.tree(new String(one.response(), UTF_8));
    assertThat(LosslessRelayCheck.kept(sent, reply)).isEmpty();
    String asked = isEmbedding(one) ? "data" : "choices";
    assertThat(reply.path(asked)).isEqualTo(sent.path(asked));
    assertThat(reply.path("provider").asText()).isEqualTo("scripted");
    assertCost(one, reply.path("usage"));
  }

  private static void assertCost(WireCase one, JsonNode usage) {
    assertThat(usage.path("x_llm_cost_micro").longValue()).isPositive();
    boolean reported = one.expect().path("usage_native").isObject();
    assertThat(usage.path("x_llm_usage_estimated").asBoolean()).isEqualTo(!reported);
    JsonNode exact = one.expect().at("/cost/cost_micro_exact");
    if (exact.isTextual()) {
      BigDecimal rounded = new BigDecimal(exact.textValue()).setScale(0, RoundingMode.HALF_UP);
      assertThat(usage.path("x_llm_cost_micro").longValue())
          .isEqualTo(rounded.max(BigDecimal.ONE).longValueExact());
    }
  }
}
