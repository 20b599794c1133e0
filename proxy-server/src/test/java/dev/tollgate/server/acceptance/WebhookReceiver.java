package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Receiver of webhooks that counts calls, and answers the first call of every fourth event with
 * 500.
 */
final class WebhookReceiver implements AutoCloseable {
  private static final int EVENTS_PER_FAILURE = 4;

  private final LoopbackHttps server;
  private final Map<String, Integer> callsByEvent = new HashMap<>();
  private final Map<String, Set<ReceivedEvent>> byJob = new HashMap<>();

  /** Content of a webhook. */
  record ReceivedEvent(String event, String kind, String status) {}

  private WebhookReceiver() throws Exception {
    server = LoopbackHttps.start(this::received);
  }

  static WebhookReceiver start() throws Exception {
    return new WebhookReceiver();
  }

  int port() {
    return server.port();
  }

  String url() {
    return server.url() + "/hook";
  }

  /** Returns the JVM options of a node that trusts it. */
  List<String> trusted() throws Exception {
    return server.trusted();
  }

  private void received(HttpExchange call) throws IOException {
    try (call) {
      JsonNode body = Json.tree(new String(call.getRequestBody().readAllBytes(), UTF_8));
      String event = call.getRequestHeaders().getFirst("webhook-id");
      JsonNode job = body.path("job");
      var received =
          new ReceivedEvent(event, body.path("event").asText(), job.path("status").asText());
      call.sendResponseHeaders(answer(received, job.path("id").asText()), -1);
    }
  }

  private synchronized int answer(ReceivedEvent received, String job) {
    byJob.computeIfAbsent(job, _ -> new HashSet<>()).add(received);
    boolean isFirst = callsByEvent.merge(received.event(), 1, Integer::sum) == 1;
    return isFirst && callsByEvent.size() % EVENTS_PER_FAILURE == 0 ? 500 : 204;
  }

  /** Returns the webhooks of a job, each event once. */
  synchronized Set<ReceivedEvent> of(String job) {
    return Set.copyOf(byJob.getOrDefault(job, Set.of()));
  }

  synchronized Set<String> jobs() {
    return Set.copyOf(byJob.keySet());
  }

  synchronized int calls() {
    return callsByEvent.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public void close() {
    server.close();
  }
}
