package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIException;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The official Java SDK with its default retries against providers that always fail: the requests
 * that reach the provider in total. The SDK sends up to three requests, the gateway up to two
 * attempts for each if there is one provider; both stop if the response demands it.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class SdkRetriesIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int RETRY_AFTER_SECONDS = 3;
  private static final Map<Fault, Provider> PROVIDERS = providers();
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());
  private static final LedgerDatabase BOOKS = LedgerDatabase.of(SharedNode.node().home());
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(NODE.baseUrl().toString())
          .apiKey(SharedNode.key())
          .build();

  /** Fault of a provider, with the expected calls of the provider and of the gateway. */
  enum Fault {
    CREDENTIAL_REFUSED(1, 1),
    CONTEXT_TOO_LONG(1, 1),
    CONTENT_FILTERED(1, 1),
    REJECTED(1, 1),
    RATE_LIMITED(3, 3),
    MODEL_MISSING(3, 3),
    UNAVAILABLE(6, 3),
    DISCONNECTED(6, 3),
    MALFORMED(6, 3),
    SILENT(3, 3),
    CUT_AMID_CONTENT(1, 1);

    private final int tries;
    private final int requests;

    Fault(int tries, int requests) {
      this.tries = tries;
      this.requests = requests;
    }

    String id() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    void answer(ScriptedConnection to) throws Exception {
      switch (this) {
        case CREDENTIAL_REFUSED -> to.send(error(401, "invalid_api_key"));
        case CONTEXT_TOO_LONG -> to.send(error(400, "context_length_exceeded"));
        case CONTENT_FILTERED -> to.send(error(400, "content_filter"));
        case REJECTED -> to.send(error(422, "wrong"));
        case RATE_LIMITED ->
            to.send(error(429, "rate_limited", "Retry-After: " + RETRY_AFTER_SECONDS + "\r\n"));
        case MODEL_MISSING -> to.send(error(404, "model_not_found"));
        case UNAVAILABLE -> to.send(error(503, "overloaded"));
        case DISCONNECTED -> to.close();
        case MALFORMED -> to.send(Sse.completion("\n"));
        case SILENT -> to.stall();
        case CUT_AMID_CONTENT -> to.send(Sse.HEAD + Sse.role() + Sse.text("Once")).close();
      }
    }

    private static String error(int status, String code, String... headers) {
      String body =
          """
          {"error":{"message":"as scripted","type":"t","param":null,"code":"%s"}}\
          """
              .formatted(code);
      return "HTTP/1.1 %d Scripted\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s"
          .formatted(status, String.join("", headers), body.length(), body);
    }
  }

  /** A provider for each fault, so that faults share no connections. */
  private record Provider(ScriptedModels models, List<Long> askedNanos) {
    static Provider of(Fault fault) {
      var provider = new Provider(new ScriptedModels(), new CopyOnWriteArrayList<>());
      provider.models.model(
          fault.id(),
          (_, to) -> {
            provider.askedNanos.add(System.nanoTime());
            fault.answer(to);
          });
      return provider;
    }
  }

  private static Map<Fault, Provider> providers() {
    Map<Fault, Provider> providers = new EnumMap<>(Fault.class);
    for (Fault fault : Fault.values()) {
      providers.put(fault, Provider.of(fault));
    }
    return providers;
  }

  private static ConfigBuilder setup() {
    ConfigBuilder setup = SharedNode.setup();
    PROVIDERS.forEach(
        (fault, provider) ->
            setup
                .provider(
                    fault.id(),
                    Map.of(
                        "type",
                        "openai",
                        "base_url",
                        provider.models().baseUrl(),
                        "api_key",
                        "any",
                        "timeouts",
                        Map.of("response_header", "500ms", "first_token", "500ms")))
                .model("sdk/" + fault.id(), fault.id(), fault.id()));
    return setup;
  }

  @AfterAll
  static void stop() {
    CLIENT.close();
    NODE.close();
    PROVIDERS.values().forEach(each -> each.models().close());
  }

  @ParameterizedTest
  @EnumSource
  void callsOfTheProvider(Fault fault) throws Exception {
    var params =
        ChatCompletionCreateParams.builder()
            .model("sdk/" + fault.id())
            .addUserMessage("Say hello.")
            .build();

    OpenAIException error =
        fault == Fault.CUT_AMID_CONTENT
            ? catchThrowableOfType(OpenAIException.class, () -> stream(params))
            : catchThrowableOfType(
                OpenAIServiceException.class, () -> CLIENT.chat().completions().create(params));

    assertThat(error).isNotNull();
    List<Long> asked = asked(fault);
    assertThat(asked).as("%s", error).hasSize(fault.tries);
    if (fault == Fault.RATE_LIMITED) {
      assertThat(IntStream.range(1, asked.size()).mapToObj(i -> asked.get(i) - asked.get(i - 1)))
          .allMatch(gap -> gap >= Duration.ofSeconds(RETRY_AFTER_SECONDS).toNanos());
    }
    assertThat(awaitRequests(fault)).hasSize(fault.requests);
  }

  private static List<Long> asked(Fault fault) {
    return PROVIDERS.entrySet().stream()
        .filter(each -> each.getKey() == fault)
        .flatMap(each -> each.getValue().askedNanos().stream())
        .toList();
  }

  private static void stream(ChatCompletionCreateParams params) {
    List<ChatCompletionChunk> chunks = new ArrayList<>();
    try (StreamResponse<ChatCompletionChunk> stream =
        CLIENT.chat().completions().createStreaming(params)) {
      stream.stream().forEach(chunks::add);
    }
  }

  /** Returns the requests that reached the gateway, once the expected number is logged. */
  private static List<String> awaitRequests(Fault fault) throws Exception {
    Map<String, Long> rows = new HashMap<>();
    long began = System.nanoTime();
    while (rows.size() < fault.requests) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).as("%s", rows).isLessThan(SOON);
      BOOKS.query(
          "SELECT request_id FROM request_log WHERE row::json ->> 'model' = 'sdk/"
              + fault.id()
              + "'",
          row -> rows.put(row.getString(1), System.nanoTime()));
    }
    return List.copyOf(rows.keySet());
  }
}
