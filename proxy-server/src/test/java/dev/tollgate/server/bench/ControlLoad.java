package dev.tollgate.server.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Person who is signed in and makes calls of a control plane at a constant rate: the list of
 * requests, the list of keys, one key and the credits, in turn.
 */
final class ControlLoad implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "correct horse 9 battery";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final URI dashboard;
  private final String cookie;
  private final List<String> paths;
  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();

  /**
   * Makes the first account.
   *
   * @param link the printed link of the first set-up
   */
  ControlLoad(String link) throws IOException, InterruptedException {
    this.dashboard = URI.create(link);
    String body =
        """
        {"token":"%s","email":"bench@example.com","password":"%s","name":"Bench"}"""
            .formatted(dashboard.getFragment(), PASSWORD);
    HttpResponse<String> made =
        http.send(
            HttpRequest.newBuilder(dashboard.resolve("/api/v1/setup"))
                .header("X-Requested-With", "bench")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString());
    this.cookie = made.headers().firstValue("set-cookie").orElseThrow().split(";", 2)[0];
    String org = "/orgs/" + JSON.readTree(made.body()).at("/memberships/0/org/id").asText();
    JsonNode keys = JSON.readTree(get(org + "/keys"));
    this.paths =
        List.of(
            org + "/requests",
            org + "/keys",
            org + "/keys/" + keys.at("/data/0/id").asText(),
            org + "/credits");
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(dashboard.resolve("/api/v1" + path))
        .header("Cookie", cookie)
        .build();
  }

  private String get(String path) throws IOException, InterruptedException {
    return http.send(request(path), BodyHandlers.ofString()).body();
  }

  /** Starts so many calls a second; cancelled by the caller. */
  ScheduledFuture<?> begin(int perSecond) {
    long everyNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    return clock.scheduleAtFixedRate(this::call, 0, everyNanos, TimeUnit.NANOSECONDS);
  }

  /** Waits for a time of the system's clock. */
  void awaitTime(long nanos) throws InterruptedException, ExecutionException {
    long waitNanos = Math.max(0, nanos - System.nanoTime());
    clock.schedule(() -> {}, waitNanos, TimeUnit.NANOSECONDS).get();
  }

  private void call() {
    HttpRequest next = request(paths.get(turn.getAndIncrement() % paths.size()));
    var _ =
        http.sendAsync(next, BodyHandlers.ofString())
            .whenComplete(
                (reply, failure) ->
                    (failure == null && reply.statusCode() == 200 ? served : failed)
                        .incrementAndGet());
  }

  int served() {
    return served.get();
  }

  int failed() {
    return failed.get();
  }

  @Override
  public void close() {
    clock.shutdownNow();
    http.close();
  }
}
