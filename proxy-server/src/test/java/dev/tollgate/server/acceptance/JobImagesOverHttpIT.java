package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.storage.S3Server;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Input images of a video submission, from its client to its provider. */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class JobImagesOverHttpIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String VIDEOS = "/v1/video/generations";
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  @TempDir private Path objects = Path.of("");
  private final HttpClient client = HttpClient.newHttpClient();
  private final byte[] png = image(1_500_000, 0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a);
  private final byte[] jpeg = image(70_001, 0xff, 0xd8, 0xff);
  private String base = "";
  private String key = "";

  private static byte[] image(int length, int... beginning) {
    byte[] image = new byte[length];
    new Random(length).nextBytes(image);
    for (int i = 0; i < beginning.length; i++) {
      image[i] = (byte) beginning[i];
    }
    return image;
  }

  private static ConfigBuilder setup(MockProvider mock) {
    return ConfigBuilder.empty()
        .openAi("media", mock.baseUrl(), "none")
        .section("media", Map.of("mock_provider", true))
        .video("test/video", new ConfigBuilder.Route("media", "mock-video?takes=60s"));
  }

  @Test
  void aDirectoryKeepsImagesUntilTheJobEnds() throws Exception {
    try (MockProvider mock = MockProvider.start(MockProfile.IMMEDIATE, 0);
        OwnDatabase database = OwnDatabase.create("job_images_directory");
        NodeFolder folder = NodeFolder.with(setup(mock));
        GatewayProcess node =
            GatewayProcess.start(
                folder, with(database, "object_storage={ directory: " + objects + " }"))) {
      open(node);
      String id = submitted();
      List<String> urls = seenByTheProvider(mock, id);
      assertThat(urls).allSatisfy(url -> assertThat(url).startsWith(base + "/artifacts/"));
      requireTheSame(urls);
      assertThat(submitted()).isEqualTo(id);
      assertThat(pictures()).as("after a replay").hasSize(2);
      String unsigned = urls.getFirst().replaceFirst("\\?.*", "");
      assertThat(fetch(unsigned).statusCode()).isEqualTo(404);
      assertThat(fetch(unsigned + "?exp=9999999999&kid=0&sig=0").statusCode()).isEqualTo(404);
      canceled(id);
      awaitGone(urls);
      assertThat(pictures()).isEmpty();
      awaitForgotten(database);
      assertThat(node.admin().total("tollgate_outputs_stored_total")).isEqualTo(2);
    }
  }

  @Test
  void aBucketKeepsImagesUntilTheJobEnds() throws Exception {
    try (MockProvider mock = MockProvider.start(MockProfile.IMMEDIATE, 0);
        S3Server server = S3Server.start();
        OwnDatabase database = OwnDatabase.create("job_images_bucket");
        NodeFolder folder = NodeFolder.with(setup(mock));
        GatewayProcess node = GatewayProcess.start(folder, with(database, server.setting()))) {
      open(node);
      String id = submitted();
      List<String> urls = seenByTheProvider(mock, id);
      assertThat(urls).allSatisfy(url -> assertThat(url).startsWith(server.url() + "/"));
      requireTheSame(urls);
      canceled(id);
      awaitGone(urls);
    }
  }

  @Test
  void withoutAStorageImagesAreRefused() throws Exception {
    try (MockProvider mock = MockProvider.start(MockProfile.IMMEDIATE, 0);
        OwnDatabase database = OwnDatabase.create("job_images_nowhere");
        NodeFolder folder = NodeFolder.with(setup(mock));
        GatewayProcess node = GatewayProcess.start(folder, with(database))) {
      open(node);
      JsonNode error = json(post(body()), 501).path("error");
      assertThat(error.path("code").asText()).isEqualTo("not_configured");
    }
  }

  private static String[] with(OwnDatabase database, String... more) {
    List<String> settings = new ArrayList<>(database.settings());
    settings.addAll(List.of(more));
    return settings.toArray(String[]::new);
  }

  private void open(GatewayProcess node) throws Exception {
    base = "http://127.0.0.1:" + node.port();
    key = node.bootstrapKey();
  }

  private String body() {
    Base64.Encoder encoder = Base64.getEncoder();
    return ("{\"model\":\"test/video\",\"prompt\":\"p\",\"input_images\":["
            + "\"data:image/png;base64,%s\",\"%s\"]}")
        .formatted(encoder.encodeToString(png), encoder.encodeToString(jpeg).replace("/", "\\/"));
  }

  private String submitted() throws Exception {
    return json(post(body()), 202).path("id").asText();
  }

  /** Returns the submission that the provider received, once it has the job. */
  private List<String> seenByTheProvider(MockProvider mock, String id) throws Exception {
    JsonNode job = awaitStatus(id, "running");
    assertThat(job.path("params").path("input_images").toString())
        .as("what its owner is shown")
        .contains("in base64)")
        .doesNotContain(".png", "http");
    try (RawClient asking = RawClient.connect(mock.port())) {
      JsonNode all = Json.tree(asking.get("/_mock/jobs").readResponse().text()).path("jobs");
      assertThat(all).hasSize(1);
      assertThat(all.path(0).path("key").asText()).isEqualTo(id);
      List<String> urls = new ArrayList<>();
      all.path(0).path("images").forEach(url -> urls.add(url.asText()));
      assertThat(urls).hasSize(2);
      return urls;
    }
  }

  private void requireTheSame(List<String> urls) throws Exception {
    HttpResponse<byte[]> first = fetch(urls.getFirst());
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("content-type")).contains("image/png");
    assertThat(Arrays.equals(first.body(), png)).isTrue();
    HttpResponse<byte[]> second = fetch(urls.getLast());
    assertThat(second.headers().firstValue("content-type")).contains("image/jpeg");
    assertThat(Arrays.equals(second.body(), jpeg)).isTrue();
  }

  private void canceled(String id) throws Exception {
    HttpRequest request = request(VIDEOS + "/" + id).DELETE().build();
    JsonNode canceled = json(client.send(request, BodyHandlers.ofByteArray()), 200);
    assertThat(canceled.path("status").asText()).isEqualTo("canceled");
  }

  private void awaitGone(List<String> urls) throws Exception {
    long began = System.nanoTime();
    for (String url : urls) {
      while (fetch(url).statusCode() != 404) {
        assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
        pause();
      }
    }
  }

  /** Rows end behind their files, so that no file stays without one. */
  private static void awaitForgotten(OwnDatabase database) throws Exception {
    long began = System.nanoTime();
    while (database.number("SELECT count(*) FROM media_image") > 0) {
      assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
      pause();
    }
  }

  private List<Path> pictures() throws Exception {
    try (Stream<Path> all = Files.walk(objects)) {
      return all.filter(path -> path.toString().matches(".*\\.(png|jpg)")).toList();
    }
  }

  private JsonNode awaitStatus(String id, String status) throws Exception {
    long began = System.nanoTime();
    while (true) {
      HttpRequest request = request("/v1/jobs/" + id).build();
      JsonNode job = json(client.send(request, BodyHandlers.ofByteArray()), 200);
      if (job.path("status").asText().equals(status)) {
        return job;
      }
      assertThat(System.nanoTime() - began).as(job.toString()).isLessThan(SOON.toNanos());
      pause();
    }
  }

  private static void pause() throws InterruptedException {
    assertThat(NEVER.await(50, TimeUnit.MILLISECONDS)).isFalse();
  }

  private static JsonNode json(HttpResponse<byte[]> response, int status) {
    assertThat(response.statusCode()).as(new String(response.body(), UTF_8)).isEqualTo(status);
    return Json.tree(new String(response.body(), UTF_8));
  }

  private HttpResponse<byte[]> post(String body) throws Exception {
    HttpRequest request =
        request(VIDEOS)
            .header("content-type", "application/json")
            .header("Idempotency-Key", "one")
            .POST(BodyPublishers.ofString(body))
            .build();
    return client.send(request, BodyHandlers.ofByteArray());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).header("authorization", "Bearer " + key);
  }

  private HttpResponse<byte[]> fetch(String url) throws Exception {
    return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofByteArray());
  }
}
