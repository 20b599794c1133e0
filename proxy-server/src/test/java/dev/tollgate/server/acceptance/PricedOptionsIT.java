package dev.tollgate.server.acceptance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that would choose another price, model or route at a provider which lets it. */
class PricedOptionsIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String GUARDED = "routed/chat";
  private static final String ALLOWED = "routed-freely/chat";
  private static final String DROPPED = "x-llm-dropped";

  /** The audit's members, one of them with an escape and one of them twice. */
  private static final String OPTIONS =
      "\"models\":[\"openai/o1-pro\"],\"\\u0070lugins\":[{\"id\":\"web\"}],"
          + "\"service_tier\":\"priority\",\"web_search_options\":{},\"route\":\"fallback\","
          + "\"Models\":[\"x/y\"],\"best_of\":20,\"service_tier\":\"scale\",\"seed\":7,";

  private static final String NAMES =
      "models, plugins, service_tier, web_search_options, route, Models, best_of";

  private static final ConcurrentLinkedDeque<JsonNode> SEEN = new ConcurrentLinkedDeque<>();

  private final LedgerDatabase database = LedgerDatabase.of(SharedNode.node().home());

  private static RawResponse ask(String model, boolean isStream, String members) throws Exception {
    SharedNode.scripted()
        .model(
            "priced",
            (request, to) -> {
              SEEN.add(request);
              to.send(request.path("stream").asBoolean() ? stream() : Sse.completion("Hi"));
            });
    String body = ChatRequests.body(model, isStream);
    try (RawClient client = SharedNode.node().connect()) {
      return client
          .post(ChatRequests.PATH, "{" + members + body.substring(1), SharedNode.authorization())
          .readResponse();
    }
  }

  private static String stream() {
    return Sse.HEAD
        + Sse.role()
        + Sse.text("Hi")
        + Sse.finish()
        + Sse.usage(5, 7)
        + Sse.DONE
        + Sse.END;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theProviderSeesNoneAndTheReplyNamesThem(boolean isStream) throws Exception {
    RawResponse plain = ask(GUARDED, isStream, "\"seed\":7,");
    JsonNode expected = SEEN.getLast();
    assertThat(plain.headers(DROPPED)).isEmpty();
    RawResponse reply = ask(GUARDED, isStream, OPTIONS);

    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(SEEN.getLast()).isEqualTo(expected);
    assertThat(reply.header(DROPPED)).isEqualTo(NAMES);
    // Of a stream this is what was reserved: of the members it counts at most the bytes.
    long more = costMicro(reply) - costMicro(plain);
    assertThat(more).isBetween(0L, isStream ? OPTIONS.length() : 0L);
    assertThat(logged(requireNonNull(reply.header("x-request-id"))))
        .isEqualTo(List.of(NAMES.split(", ")));
  }

  private static long costMicro(RawResponse reply) {
    return Long.parseLong(requireNonNull(reply.header("x-llm-cost-micro")));
  }

  /** Returns what the request log says that was dropped. */
  private List<String> logged(String id) throws Exception {
    String where = " WHERE request_id = '" + id + "'";
    long began = System.nanoTime();
    while (database.number("SELECT count(*) FROM request_log" + where) == 0) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    }
    List<String> names = new ArrayList<>();
    database.query(
        "SELECT row FROM request_log" + where,
        row ->
            Json.tree(row.getString(1))
                .at("/attempts/0/details/dropped")
                .forEach(name -> names.add(name.asText())));
    return names;
  }

  @Test
  void whereTheOperatorAllowsThemTheyPass() throws Exception {
    RawResponse reply = ask(ALLOWED, false, OPTIONS);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.headers(DROPPED)).isEmpty();
    JsonNode seen = SEEN.getLast();
    assertThat(seen.at("/models/0").asText()).isEqualTo("openai/o1-pro");
    assertThat(seen.at("/plugins/0/id").asText()).isEqualTo("web");
    assertThat(seen.path("service_tier").asText()).isEqualTo("scale");
    assertThat(seen.has("web_search_options")).isTrue();
    assertThat(seen.path("route").asText()).isEqualTo("fallback");
    assertThat(seen.path("best_of").asInt()).isEqualTo(20);
  }

  @Test
  void whoInsistsOnThemIsRefused() throws Exception {
    RawResponse reply = ask(GUARDED, false, OPTIONS + "\"routing\":{\"require_parameters\":true},");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(Json.tree(reply.text()).at("/error/param").asText()).isEqualTo("models");
  }
}
