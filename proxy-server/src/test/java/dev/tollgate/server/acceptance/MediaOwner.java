package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Client with one job: it submits the job, follows it over the available nodes, and records the
 * responses. Requests that broke off or were refused are repeated, a submission with the same key.
 */
final class MediaOwner {
  private static final String PATH = "/v1/video/generations";
  private static final List<String> OPEN = List.of("queued", "submitted", "running");
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int[] ALL = {0, 1, 2};
  private static final int[] USUAL = {0, 1};

  /** The node whose jobs have little time. */
  private static final int[] HASTY = {2};

  private final int number;
  private final Means means;
  private String job = "";
  private String status = "queued";
  private int made;
  private int repeated;
  private boolean removed;
  private Duration duration = Duration.ZERO;

  /** Client that all owners share. */
  record Means(HttpClient http, CrashingNodes nodes, String apiKey, String webhook) {}

  MediaOwner(int number, Means means) {
    this.number = number;
    this.means = means;
  }

  MediaScenario play() {
    return MediaScenario.of(number);
  }

  String job() {
    return job;
  }

  /** Final status that the owner saw. */
  String status() {
    return status;
  }

  /** Submissions that were answered like the first. */
  int made() {
    return made;
  }

  /** Requests that were repeated because they broke off or were refused. */
  int repeated() {
    return repeated;
  }

  boolean removed() {
    return removed;
  }

  /** Time from the submission to the awaited end. */
  Duration duration() {
    return duration;
  }

  void run() throws Exception {
    long began = System.nanoTime();
    act();
    duration = Duration.ofNanos(System.nanoTime() - began);
  }

  /** Every third owner sends its submission twice. */
  private void act() throws Exception {
    submit();
    if (number % 3 == 0) {
      submit();
    }
    switch (play().owner()) {
      case WAITS, WAITS_IN_VAIN -> follow(OPEN);
      case CANCELS -> {
        delete();
        follow(OPEN);
      }
      case CANCELS_LATE -> {
        follow(List.of("queued"));
        delete();
        follow(OPEN);
      }
      case REMOVES -> {
        follow(OPEN);
        delete();
      }
    }
  }

  private void submit() throws Exception {
    String body =
        """
        {"model":"test/video","prompt":"p","duration_seconds":1,"resolution":"64x64",\
        "x_mock":"%s","webhook_url":"%s"}"""
            .formatted(play().model(), means.webhook());
    HttpRequest.Builder request =
        request("")
            .header("idempotency-key", "film-" + number)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body));
    boolean isHasty = play().owner() == MediaScenario.Owner.WAITS_IN_VAIN;
    HttpResponse<String> answer = ask(request, isHasty ? HASTY : USUAL);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    if (answer.headers().firstValue("idempotent-replayed").isEmpty()) {
      made++;
    }
    String id = Json.tree(answer.body()).path("id").asText();
    assertThat(job).isIn("", id);
    job = id;
  }

  /** Waits until the job is in none of these states. */
  private void follow(List<String> states) throws Exception {
    long began = System.nanoTime();
    while (!removed && states.contains(status)) {
      HttpResponse<String> answer = ask(request("/" + job).GET(), ALL);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(System.nanoTime() - began).as(answer.body()).isLessThan(PATIENCE.toNanos());
      see(Json.tree(answer.body()));
      CrashingNodes.pause(150);
    }
  }

  /** A job's status only moves forward. */
  private void see(JsonNode shown) {
    String now = shown.path("status").asText();
    assertThat(OPEN.indexOf(now) < 0 || OPEN.indexOf(now) >= OPEN.indexOf(status))
        .as("%s, which was %s", shown, status)
        .isTrue();
    status = now;
  }

  /** An earlier request whose response was lost may have removed the job already. */
  private void delete() throws Exception {
    long began = System.nanoTime();
    while (!removed && !status.equals("canceled")) {
      int before = repeated;
      HttpResponse<String> answer = ask(request("/" + job).DELETE(), ALL);
      boolean isGone = answer.statusCode() == 404 && repeated > before;
      switch (answer.statusCode()) {
        case 200 -> see(Json.tree(answer.body()));
        case 409 -> {
          if (play() == MediaScenario.NOT_CANCELED) {
            return;
          }
        }
        default -> {
          assertThat(isGone || answer.statusCode() == 204).as("%s", answer).isTrue();
          removed = true;
        }
      }
      assertThat(System.nanoTime() - began).as(answer.body()).isLessThan(PATIENCE.toNanos());
    }
  }

  // One request

  private HttpRequest.Builder request(String rest) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1" + PATH + rest))
        .header("authorization", "Bearer " + means.apiKey())
        .timeout(ANSWER);
  }

  /**
   * Sends a request to one of these nodes, and again to any available one until there is a
   * response.
   */
  private HttpResponse<String> ask(HttpRequest.Builder request, int... of) throws Exception {
    String path = request.build().uri().getPath();
    long began = System.nanoTime();
    while (true) {
      Optional<Integer> port = means.nodes().port(of);
      if (port.isPresent()) {
        request.uri(URI.create("http://127.0.0.1:" + port.get() + path));
        Optional<HttpResponse<String>> answer = answer(request.build());
        if (answer.isPresent()) {
          return answer.get();
        }
        repeated++;
      }
      assertThat(System.nanoTime() - began).as(path).isLessThan(PATIENCE.toNanos());
      CrashingNodes.pause(50);
    }
  }

  private Optional<HttpResponse<String>> answer(HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<String> answer = means.http().send(request, BodyHandlers.ofString());
      boolean isLater = answer.statusCode() >= 500 || answer.statusCode() == 429;
      return isLater ? Optional.empty() : Optional.of(answer);
    } catch (IOException killed) {
      return Optional.empty();
    }
  }
}
