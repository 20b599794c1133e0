package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.ItemizedCost.Line;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PricedUnit;
import dev.tollgate.core.testkit.Mp4File;
import dev.tollgate.server.cli.ApiDocument;
import dev.tollgate.server.cli.ApiDocument.Operation;
import dev.tollgate.server.cli.Verbs;
import dev.tollgate.server.explorer.ChargeArithmetic;
import dev.tollgate.server.explorer.ChargeArithmetic.SettledCharge;
import dev.tollgate.server.explorer.PricedRecord;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** All requests of a client about videos and music, through the real program. */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class JobsOverHttpIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String VIDEOS = "/v1/video/generations";
  private static final String MUSIC = "/v1/music/generations";
  private static final ApiDocument DOCUMENT = ApiDocument.own();
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  @TempDir private Path objects = Path.of("");
  private final HttpClient client = HttpClient.newHttpClient();
  private String base = "";
  private String key = "";

  @Test
  void jobsAreSubmittedFollowedFetchedCanceledAndRemoved() throws Exception {
    try (OwnDatabase database = OwnDatabase.create("jobs_over_http");
        NodeFolder folder = NodeFolder.with(setup());
        GatewayProcess node =
            GatewayProcess.start(folder, database.settings().toArray(String[]::new))) {
      base = "http://127.0.0.1:" + node.port();
      key = node.bootstrapKey();
      String made = videoIsMade(database);
      musicIsCanceled(database);
      theOperatorListsAndCancels(folder, database, made);
      removed(made);
      examplesAreTaken();
      Verbs.CommandResult result = database.runVerb(folder, "ledger", "audit");
      assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    }
  }

  private ConfigBuilder setup() {
    return ConfigBuilder.empty()
        .mock("mock")
        .section("media", Map.of("mock_provider", true))
        .section("object_storage", Map.of("directory", objects.toString()))
        .model("test/video", model("video", "video_second", "mock-video?takes=300ms"))
        .model("test/music", model("music", "music_second", "mock-music?takes=60s"));
  }

  private static Map<String, ?> model(String modality, String price, String upstream) {
    return Map.of(
        "modality",
        modality,
        "default_duration_seconds",
        3,
        "price",
        Map.of(price, "0.10"),
        "routes",
        List.of(Map.of("provider", "mock", "model", upstream)));
  }

  private String videoIsMade(OwnDatabase database) throws Exception {
    String body =
        """
        {"model":"test/video","prompt":"A gate.","duration_seconds":2,"resolution":"64x48",
         "metadata":{"order":"17"}}""";
    requireKey(VIDEOS, body);
    requireKey(MUSIC, body.replace("test/video", "test/music"));
    HttpResponse<byte[]> submitted = post(VIDEOS, "one", body);
    JsonNode job = json(submitted, 202);
    String id = job.path("id").asText();
    assertThat(job.path("object").asText()).isEqualTo("video.generation");
    assertThat(job.path("estimated_cost_micro").asLong()).isEqualTo(300_000);
    HttpResponse<byte[]> again = post(VIDEOS, "one", body);
    assertThat(json(again, 202).path("id").asText()).isEqualTo(id);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
    assertThat(post(VIDEOS, "one", body.replace("17", "18")).statusCode()).isEqualTo(409);

    JsonNode over = awaitStatus(VIDEOS + "/" + id, "succeeded");
    assertThat(over.path("cost_micro").asLong()).isEqualTo(200_000);
    assertThat(over.path("metadata").path("order").asText()).isEqualTo("17");
    assertThat(json(get("/v1/jobs/" + id), 200).path("status")).isEqualTo(over.path("status"));
    assertThat(get(MUSIC + "/" + id).statusCode()).isEqualTo(404);
    assertThat(database.number("SELECT used_micro FROM scope_account WHERE scope_id LIKE 'org:%'"))
        .isEqualTo(200_000);

    requireExplained(database, id);

    JsonNode artifact = over.path("artifacts").path(0);
    HttpResponse<byte[]> file = fetch(artifact.path("url").asText());
    assertThat(file.statusCode()).isEqualTo(200);
    assertThat(file.headers().firstValue("content-type"))
        .contains(artifact.path("content_type").asText());
    assertThat(file.body()).hasSize(artifact.path("size_bytes").asInt());
    Mp4File video = new Mp4File(file.body());
    assertThat(List.of(video.width, video.height)).containsExactly(64, 48);
    assertThat(video.seconds).isEqualTo(2).isEqualTo(artifact.path("duration_seconds").asDouble());
    return id;
  }

  /** Requires that the charge of 2 s is computed again from what was stored of the job. */
  private static void requireExplained(OwnDatabase database, String id) throws Exception {
    String row =
        database
            .texts(
                "SELECT r.priced FROM request_log r JOIN media_job j USING (day, request_id)"
                    + " WHERE j.id = '"
                    + id
                    + "'")
            .getFirst();
    PricedRecord record = PricedRecord.ofJob(row);
    String sheet = record.sheets().iterator().next();
    String content =
        database.texts("SELECT content FROM price_sheet WHERE id = '" + sheet + "'").getFirst();
    var cost = new MicroUsd(200_000);
    var settled = new SettledCharge(cost, cost, SettlementKind.COMPLETED, false, MicroUsd.ZERO);
    ChargeArithmetic computed = ChargeArithmetic.of(record, Map.of(sheet, content), settled);
    assertThat(computed.matches()).isTrue();
    assertThat(computed.lines())
        .containsExactly(new Line(0, PricedUnit.VIDEO_MICROSECOND, 2_000_000, 100_000));
  }

  private void requireKey(String path, String body) throws Exception {
    JsonNode error = json(post(path, "", body), 400).path("error");
    assertThat(error.path("code").asText()).isEqualTo("idempotency_key_required");
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    HttpResponse<byte[]> tooLong = post(path, "k".repeat(256), body);
    assertThat(json(tooLong, 400).path("error").path("param").asText())
        .isEqualTo("Idempotency-Key");
  }

  private void musicIsCanceled(OwnDatabase database) throws Exception {
    String body = "{\"model\":\"test/music\",\"prompt\":\"A gate.\",\"format\":\"wav\"}";
    String id = json(post(MUSIC, "one", body), 202).path("id").asText();
    awaitStatus(MUSIC + "/" + id, "running");
    JsonNode canceled = json(send("DELETE", MUSIC + "/" + id), 200);
    requireDescribed(MUSIC + "/" + id, canceled);
    assertThat(canceled.path("status").asText()).isEqualTo("canceled");
    assertThat(canceled.path("cost_micro").asLong()).isZero();
    assertThat(database.number("SELECT count(*) FROM lease WHERE holder LIKE 'job:%'"))
        .isPositive();
    assertThat(
            database.number(
                "SELECT count(*) FROM lease WHERE holder LIKE 'job:%' AND state <> 'closed'"))
        .isZero();
  }

  private void theOperatorListsAndCancels(NodeFolder folder, OwnDatabase database, String made)
      throws Exception {
    String body = "{\"model\":\"test/music\",\"prompt\":\"Another gate.\"}";
    String id = json(post(MUSIC, "two", body), 202).path("id").asText();
    awaitStatus(MUSIC + "/" + id, "running");
    JsonNode running =
        result(folder, database, "jobs", "list", "--status", "running", "-o", "json");
    assertThat(running).hasSize(1);
    assertThat(running.path(0).path("id").asText()).isEqualTo(id);
    JsonNode shown = result(folder, database, "jobs", "show", made, "-o", "json");
    assertThat(shown.path("status").asText()).isEqualTo("succeeded");
    assertThat(shown.path("artifacts").path(0).has("blob")).isTrue();
    assertThat(shown.toString()).as("its owner alone gets addresses").doesNotContain("http");

    Verbs.CommandResult canceled = database.runVerb(folder, "jobs", "cancel", id);
    assertThat(canceled.exitCode()).as(canceled.err()).isZero();
    assertThat(canceled.out()).contains(id);
    awaitStatus(MUSIC + "/" + id, "canceled");
    Verbs.CommandResult again = database.runVerb(folder, "jobs", "cancel", id);
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("has ended");
  }

  private static JsonNode result(NodeFolder folder, OwnDatabase database, String... verb) {
    Verbs.CommandResult result = database.runVerb(folder, verb);
    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    return Json.tree(result.out());
  }

  private void removed(String id) throws Exception {
    String url = artifactUrl(id);
    HttpResponse<byte[]> gone = send("DELETE", VIDEOS + "/" + id);
    assertThat(gone.statusCode()).isEqualTo(204);
    assertThat(gone.body()).isEmpty();
    assertThat(text(get(VIDEOS + "/" + id))).isEqualTo(text(get(VIDEOS + "/" + UUID.randomUUID())));
    long began = System.nanoTime();
    while (fetch(url).statusCode() != 404) {
      assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
      pause();
    }
  }

  /** Except for URLs: the host names of examples do not exist. */
  private void examplesAreTaken() throws Exception {
    int examples = 0;
    for (Operation submission : DOCUMENT.operations()) {
      for (JsonNode example : submission.has(202) ? submission.examples() : List.<JsonNode>of()) {
        ObjectNode body = example.deepCopy();
        body.put("model", body.get("model").asText().replace("tollgate/demo-", "test/"));
        body.remove(List.of("image_url", "webhook_url"));
        HttpResponse<byte[]> taken =
            post(submission.path(), "example-" + ++examples, body.toString());
        JsonNode job = json(taken, 202);
        assertThat(submission.answer(202, "application/json", job)).as("" + job).isEmpty();
      }
    }
    assertThat(examples).isEqualTo(4);
  }

  private String artifactUrl(String id) throws Exception {
    JsonNode job = json(get(VIDEOS + "/" + id), 200);
    return job.path("artifacts").path(0).path("url").asText();
  }

  private JsonNode awaitStatus(String path, String status) throws Exception {
    long began = System.nanoTime();
    while (true) {
      JsonNode job = json(get(path), 200);
      requireDescribed(path, job);
      if (job.path("status").asText().equals(status)) {
        return job;
      }
      assertThat(System.nanoTime() - began).as(job.toString()).isLessThan(SOON.toNanos());
      pause();
    }
  }

  private static void requireDescribed(String path, JsonNode job) {
    Operation operation = DOCUMENT.at(path).orElseThrow();
    assertThat(operation.answer("application/json", job)).as(job.toString()).isEmpty();
  }

  private static void pause() throws InterruptedException {
    assertThat(NEVER.await(50, TimeUnit.MILLISECONDS)).isFalse();
  }

  private static JsonNode json(HttpResponse<byte[]> response, int status) {
    assertThat(response.statusCode()).as(new String(response.body(), UTF_8)).isEqualTo(status);
    return Json.tree(new String(response.body(), UTF_8));
  }

  /** Returns a response without its request id. */
  private static String text(HttpResponse<byte[]> response) {
    assertThat(response.statusCode()).isEqualTo(404);
    return new String(response.body(), UTF_8).replaceAll("req_[0-9A-Z]+", "req_");
  }

  private HttpResponse<byte[]> post(String path, String idempotencyKey, String body)
      throws Exception {
    HttpRequest.Builder request = request(path).POST(BodyPublishers.ofString(body));
    request.header("content-type", "application/json");
    if (!idempotencyKey.isEmpty()) {
      request.header("Idempotency-Key", idempotencyKey);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  private HttpResponse<byte[]> get(String path) throws Exception {
    return send("GET", path);
  }

  private HttpResponse<byte[]> send(String method, String path) throws Exception {
    return client.send(
        request(path).method(method, BodyPublishers.noBody()).build(), BodyHandlers.ofByteArray());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).header("authorization", "Bearer " + key);
  }

  private HttpResponse<byte[]> fetch(String url) throws Exception {
    return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofByteArray());
  }
}
