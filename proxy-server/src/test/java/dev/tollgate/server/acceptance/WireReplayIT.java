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
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every recorded chat, replayed by a provider over a socket in one write, in small and in random
 * ones: the client gets text, tool calls, finish, usage and the exact cost.
 */
@Tag("corpus")
class WireReplayIT {
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final int BYTE_BY_BYTE_MAX = 8 * 1024;
  private static final int WRITES_MAX = 4_096;

  /** The recorded cost lacks the tokens written to the cache: 3 × 5 + 1217 × 6.25 + 100 × 30. */
  private static final Map<String, String> PRICED_BY_HAND =
      Map.of("openai/chat-reasoning-tokens--gpt-5-6-sol", "10621.25");

  private static final List<WireCase> CASES = WireCase.family("openai-chat");
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
      SharedNode.scripted().model("wire-" + i, (request, to) -> replay(one, request, to));
      setup.model("wire/" + i, "scripted", "wire-" + i, WirePrice.of(one.expect().path("cost")));
    }
    return setup;
  }

  @AfterAll
  static void stop() {
    NODE.admin().awaitIdle();
    NODE.close();
  }

  private static void replay(WireCase one, JsonNode request, ScriptedConnection to) {
    assertThat(request.has("n")).isFalse();
    assertThat(request.has("routing")).isFalse();
    String type = one.isStream() ? "text/event-stream" : "application/json";
    byte[] body = one.response();
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(type, body.length);
    to.send(head.getBytes(ISO_8859_1));
    switch (Cut.valueOf(request.path("x_cut").asText())) {
      case WHOLE -> to.send(body);
      case SMALL -> to.sendSplit(smallest(body.length), body);
      case RANDOM -> to.sendSplit(new Random(one.name().hashCode()), body);
    }
  }

  /** One byte per write, or a few if the reply is long. */
  private static int smallest(int bytes) {
    return bytes <= BYTE_BY_BYTE_MAX ? 1 : bytes / WRITES_MAX;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theReplyArrivesForAllWriteSizes(WireCase one) throws Exception {
    for (Cut cut : Cut.values()) {
      RawResponse response;
      try (RawClient client = NODE.connect().within(ANSWER)) {
        client.post(ChatRequests.PATH, request(one, cut), SharedNode.authorization());
        response = client.readResponse();
      }
      if (one.expect().has("error_in_stream")) {
        assertError(one, response);
      } else if (!one.expect().isObject()) {
        assertThat(response.text()).contains("\"error\":{").endsWith("data: [DONE]\n\n");
      } else if (one.isStream()) {
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertStream(one, ClientView.of(response.text()));
      } else {
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertReply(one, Json.tree(response.text()));
      }
    }
  }

  private static String request(WireCase one, Cut cut) {
    return """
    {"model":"wire/%d","stream":%b,"x_cut":"%s","messages":[{"role":"user","content":"Hi."}]}\
    """
        .formatted(CASES.indexOf(one), one.isStream(), cut);
  }

  private static void assertError(WireCase one, RawResponse response) {
    String message = one.expect().path("error_in_stream").path("message").asText();
    if (response.status() == 200) {
      assertThat(response.text()).contains("\"error\":{").endsWith("data: [DONE]\n\n");
    } else {
      assertThat(Json.tree(response.text()).path("error").path("message").asText())
          .as("of '%s'", message)
          .isNotBlank();
    }
  }

  private static void assertStream(WireCase one, ClientView view) throws Exception {
    assertThat(StreamTraits.rejected(view.chunks(), true)).isEmpty();
    assertThat(view.done()).isTrue();
    assertThat(view.chunks().getLast().path("choices")).isEmpty();
    JsonNode expected = one.expectedChoice();
    assertText(view.text(), expected.path("text"));
    if (expected.has("reasoning")) {
      assertText(view.reasoning(), expected.path("reasoning"));
    }
    assertFinish(view.finish(), expected);
    JsonNode calls = expected.path("tool_calls");
    assertThat(view.calls()).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      assertThat(view.calls().get(i).id).isEqualTo(calls.get(i).path("id").asText());
      assertThat(view.calls().get(i).name).isEqualTo(calls.get(i).path("name").asText());
      assertThat(view.calls().get(i).arguments)
          .hasToString(calls.get(i).path("arguments").asText(""));
    }
    assertUsage(one, view.usage());
  }

  private static void assertReply(WireCase one, JsonNode reply) {
    JsonNode sent = Json.tree(new String(one.response(), UTF_8));
    assertThat(LosslessRelayCheck.kept(sent, reply)).isEmpty();
    assertFinish(
        reply.path("choices").path(0).path("finish_reason").asText(), one.expectedChoice());
    assertUsage(one, reply.path("usage"));
  }

  private static void assertFinish(String finish, JsonNode choice) {
    assertThat(finish).isEqualTo(choice.path("finish").asText("stop").replace("null", "stop"));
  }

  private static void assertUsage(WireCase one, JsonNode usage) {
    JsonNode expected = one.expect().path("usage");
    assertThat(usage.path("x_llm_usage_estimated").booleanValue()).isEqualTo(!expected.isObject());
    if (expected.isObject()) {
      for (String field : List.of("prompt_tokens", "completion_tokens")) {
        assertThat(usage.path(field).longValue())
            .as(field)
            .isEqualTo(expected.path(field).longValue());
      }
    }
    JsonNode exact = one.expect().path("cost").path("cost_micro_exact");
    if (exact.isTextual()) {
      String micro = PRICED_BY_HAND.getOrDefault(one.name(), exact.textValue());
      assertThat(usage.path("x_llm_cost_micro").longValue())
          .isEqualTo(new BigDecimal(micro).setScale(0, RoundingMode.HALF_UP).longValueExact());
    }
  }

  /** A text as it is, or its digest if it is long. */
  private static void assertText(String text, JsonNode expected) throws Exception {
    if (expected.isObject()) {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      assertThat(HexFormat.of().formatHex(digest)).isEqualTo(expected.path("sha256_utf8").asText());
    } else {
      assertThat(text).isEqualTo(expected.asText(""));
    }
  }
}
