package dev.tollgate.server.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Client of a node's admin listener. */
final class Admin {
  /** Of an organization that often leaves, a stream may be read on for 30 seconds. */
  private static final Duration DRAINED = Duration.ofSeconds(50);

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int POLL_MILLIS = 20;
  private static final List<String> HELD =
      List.of(
          "tollgate_requests_in_flight",
          "tollgate_upstream_leases",
          "tollgate_upstream_pending",
          "tollgate_inflight_bytes",
          "tollgate_limit_slots_in_use",
          "tollgate_connections");

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final int port;

  Admin(int port) {
    this.port = port;
  }

  HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(uri(path)).build());
  }

  HttpResponse<String> post(String path) {
    return send(
        HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.noBody()).build());
  }

  /** Returns every value of {@code /metrics}, by name with labels. */
  Map<String, Double> metrics() {
    Map<String, Double> numbers = new TreeMap<>();
    for (String line : get("/metrics").body().lines().toList()) {
      int space = line.lastIndexOf(' ');
      if (!line.startsWith("#") && space > 0) {
        numbers.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
      }
    }
    return numbers;
  }

  /** Returns the sum of a metric over all labels. */
  double total(String family) {
    return total(metrics(), family);
  }

  /** Returns the sum of a metric in values read earlier. */
  static double total(Map<String, Double> numbers, String family) {
    return numbers.entrySet().stream()
        .filter(each -> each.getKey().equals(family) || each.getKey().startsWith(family + "{"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** Returns the bytes that Netty holds outside of the heap. */
  static double buffers(Map<String, Double> numbers) {
    return total(numbers, "tollgate_buffer_bytes");
  }

  /** Waits until no connection, lease, byte or request is held. */
  void awaitIdle() {
    await(
        DRAINED,
        numbers -> HELD.stream().allMatch(family -> total(numbers, family) == 0),
        "everything given back");
  }

  /** Waits until no request runs; clients may keep connections open. */
  void awaitNoRequests() {
    await(
        DRAINED,
        numbers ->
            HELD.stream()
                .filter(family -> !family.equals("tollgate_connections"))
                .allMatch(family -> total(numbers, family) == 0),
        "all requests ended");
  }

  /** Waits until every charge is settled. */
  void awaitBooked() {
    await(numbers -> total(numbers, "tollgate_ledger_backlog") == 0, "an empty backlog");
  }

  void await(Predicate<Map<String, Double>> holds, String what) {
    await(SOON, holds, what);
  }

  private void await(Duration within, Predicate<Map<String, Double>> holds, String what) {
    long deadlineNanos = System.nanoTime() + within.toNanos();
    Map<String, Double> numbers = metrics();
    while (!holds.test(numbers)) {
      if (System.nanoTime() > deadlineNanos) {
        throw new AssertionError(
            "waited " + within + " without success for " + what + ": " + held(numbers));
      }
      pause();
      numbers = metrics();
    }
  }

  /** Pause between polls: without it the node and this JVM are busy with polling. */
  private static void pause() {
    try {
      CrashingNodes.pause(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static String held(Map<String, Double> numbers) {
    List<String> held = new ArrayList<>();
    HELD.forEach(family -> held.add(family + "=" + total(numbers, family)));
    return held.stream().collect(Collectors.joining(", "));
  }

  /** Returns the address of a provider, as {@code /providers} shows it. */
  URI endpoint(String provider) {
    var tree = Json.tree(get("/providers").body());
    for (var each : tree.path("providers")) {
      if (each.path("provider").asText().equals(provider)) {
        return URI.create(each.path("endpoint").asText());
      }
    }
    throw new AssertionError("no provider " + provider + " in " + tree);
  }

  /** Returns the counts of the bundled provider. */
  MockCounts mock(String provider) {
    URI stats = endpoint(provider).resolve("/_mock/stats");
    var tree = Json.tree(send(HttpRequest.newBuilder(stats).build()).body());
    return new MockCounts(tree.path("requests").longValue(), tree.path("in_flight").longValue());
  }

  /** Two counts of the mock provider. */
  record MockCounts(long requests, long inFlight) {}

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private static HttpResponse<String> send(HttpRequest request) {
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
