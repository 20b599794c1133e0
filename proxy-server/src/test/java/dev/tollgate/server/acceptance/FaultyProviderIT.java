package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every fault of the mock provider, plain and streamed, with short timeouts: each request ends with
 * a specified response, and every success is one for the official SDK too.
 */
@Tag("chaos")
@Tag("corpus")
@Execution(ExecutionMode.CONCURRENT)
class FaultyProviderIT {
  private static final Pattern FAULT = Pattern.compile("\\| `(fault/[a-z0-9-]+)(:k)?`");
  private static final Duration ANSWER = Duration.ofSeconds(20);
  private static final int CALLERS = 8;
  private static final String PLAIN = "plain/";
  private static final String STREAMED = "streamed/";
  private static final Set<String> CODES =
      Set.of(
          "provider_error",
          "provider_disconnect",
          "provider_unavailable",
          "provider_timeout",
          "provider_rate_limited",
          "stream_interrupted",
          "validation_failed",
          "request_too_large");

  private static final MockProvider PROVIDER = MockProvider.start(MockProfile.IMMEDIATE, 0);
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());

  static Stream<String> faults() {
    String documented =
        new String(
            Corpora.bytes(Path.of(System.getProperty("tollgate.root"), "docs/mock-provider.md")),
            UTF_8);
    List<String> faults =
        FAULT.matcher(documented).results().map(match -> match.group(1)).distinct().toList();
    assertThat(faults).hasSizeGreaterThan(60);
    return faults.stream();
  }

  private static ConfigBuilder setup() {
    var clocks =
        Map.of(
            "connect",
            "1s",
            "response_header",
            "1s",
            "first_token",
            "1s",
            "idle",
            "1s",
            "total",
            "5s");
    ConfigBuilder setup = SharedNode.setup();
    for (String model : models(faults().toList())) {
      // A provider that limits our rate is skipped for a while.
      String provider = model.replace('/', '-');
      setup
          .provider(
              provider,
              Map.of(
                  "type",
                  "openai",
                  "base_url",
                  "http://127.0.0.1:" + PROVIDER.port() + "/v1",
                  "max_event_bytes",
                  "1MiB",
                  "timeouts",
                  clocks))
          .model(model, provider, model.substring(model.indexOf('/') + 1));
    }
    return setup;
  }

  @AfterAll
  static void stop() {
    NODE.close();
    PROVIDER.close();
  }

  /** Each fault twice: one reply of a provider must not affect the other. */
  private static List<String> models(List<String> faults) {
    return faults.stream().flatMap(fault -> Stream.of(PLAIN + fault, STREAMED + fault)).toList();
  }

  /** Many at once, because each mostly waits for a provider. */
  @Test
  void everyRequestEndsWithASpecifiedAnswer() throws Exception {
    try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
      Map<String, Future<?>> answers = new LinkedHashMap<>();
      for (String model : models(faults().toList())) {
        answers.put(model, callers.submit(() -> ask(model)));
      }
      assertAll(answers.entrySet().stream().map(each -> (Executable) () -> of(each)));
    }
    NODE.admin().awaitIdle();
  }

  private static void ask(String model) {
    if (model.startsWith(PLAIN)) {
      plain(model);
    } else {
      streamed(model);
    }
  }

  private static void of(Map.Entry<String, Future<?>> answer) throws InterruptedException {
    try {
      answer.getValue().get();
    } catch (ExecutionException e) {
      throw new AssertionError(answer.getKey() + ": " + e.getCause(), e.getCause());
    }
  }

  private static void plain(String fault) {
    try (RawClient client = NODE.connect().within(ANSWER)) {
      client.post(ChatRequests.PATH, ChatRequests.body(fault, false), SharedNode.authorization());
      RawResponse response = client.readResponse();
      assertThat(response.header("x-request-id")).startsWith("req_");
      JsonNode body = Json.tree(response.text());
      if (response.status() == 200) {
        assertThat(body.path("error").isMissingNode()).as(response.text()).isTrue();
        assertThat(body.path("usage").path("x_llm_cost_micro").isIntegralNumber()).isTrue();
      } else {
        assertError(body, response.text());
      }
    }
  }

  private static void streamed(String fault) {
    try (RawClient client = NODE.connect().within(ANSWER)) {
      client.post(ChatRequests.PATH, ChatRequests.body(fault, true), SharedNode.authorization());
      RawResponse response = client.readResponse();
      assertThat(response.header("x-request-id")).startsWith("req_");
      if (response.status() == 200) {
        assertStream(response);
      } else {
        assertError(Json.tree(response.text()), response.text());
      }
    }
  }

  private static void assertStream(RawResponse response) {
    List<String> events = response.events();
    assertThat(events).as(response.text()).hasSizeGreaterThan(2).endsWith("data: [DONE]");
    String last = events.get(events.size() - 2);
    boolean failed = last.startsWith("data: {\"error\"");
    JsonNode usage = chunk(events.get(events.size() - (failed ? 3 : 2)));
    assertThat(usage.path("choices")).as(response.text()).isEmpty();
    assertThat(usage.path("usage").path("x_llm_cost_micro").isIntegralNumber()).isTrue();
    List<JsonNode> chunks =
        events.subList(0, events.size() - (failed ? 2 : 1)).stream()
            .map(FaultyProviderIT::chunk)
            .toList();
    assertThat(StreamTraits.rejected(chunks, !failed)).as(response.text()).isEmpty();
    boolean hasContent = chunks.stream().anyMatch(one -> !one.path("choices").isEmpty());
    assertThat(response.isTruncated()).as(response.text()).isEqualTo(failed && hasContent);
    if (!failed) {
      assertThat(StreamTraits.refusedBySdk(chunks)).as(response.text()).isEmpty();
    } else {
      assertError(chunk(last), response.text());
    }
  }

  private static JsonNode chunk(String event) {
    assertThat(event).startsWith("data: ").doesNotContain("\n");
    return Json.tree(event.substring("data: ".length()));
  }

  private static void assertError(JsonNode body, String all) {
    assertThat(body.path("error").path("code").asText()).as(all).isIn(CODES);
    assertThat(body.path("error").path("message").asText()).isNotBlank();
    assertThat(body.path("error").path("request_id").asText()).startsWith("req_");
  }
}
