package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs of the mock provider over a connection, as a gateway sees them. */
class MediaJobsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PATH = "/v1/media/jobs";
  @RegisterExtension static final RunningMock MOCK = new RunningMock();
  private RawClient client;

  @BeforeEach
  void connect() {
    client = MOCK.client();
  }

  @Test
  void aVideoIsMadeAndFetched() throws Exception {
    String key = key();
    RawResponse accepted = submit(key, "m", ",\"duration_seconds\":2.5,\"resolution\":\"64x36\"");
    assertThat(accepted.status()).isEqualTo(200);
    JsonNode job = JSON.readTree(accepted.body());
    assertThat(job.path("status").asText()).isEqualTo("succeeded");
    assertThat(job.path("seconds").asDouble()).isEqualTo(2.5);
    JsonNode file = job.at("/files/0");
    assertThat(file.path("content_type").asText()).isEqualTo("video/mp4");
    assertThat(file.path("width").asInt()).isEqualTo(64);
    assertThat(file.path("height").asInt()).isEqualTo(36);
    String id = job.path("id").asText();
    assertThat(poll(id).path("status").asText()).isEqualTo("succeeded");
    RawResponse bytes = client.get(PATH + "/" + id + "/files/0").readResponse();
    assertThat(bytes.header("content-type")).isEqualTo("video/mp4");
    assertThat(new String(bytes.body(), 4, 8, US_ASCII)).isEqualTo("ftypisom");
    assertThat(client.get(PATH + "/" + id + "/files/1").readResponse().status()).isEqualTo(404);
  }

  @Test
  void musicHasTheRequestedFormatAndLargeFilesAreChunked() throws Exception {
    String more = ",\"kind\":\"music\",\"format\":\"wav\",\"duration_seconds\":60";
    String id = id(submit(key(), "m", more));
    RawResponse file = client.get(PATH + "/" + id + "/files/0").readResponse();
    assertThat(file.header("transfer-encoding")).isEqualTo("chunked");
    assertThat(file.header("content-type")).isEqualTo("audio/wav");
    assertThat(file.body()).hasSize(44 + 60 * 2 * 24_000);
  }

  @Test
  void theSameKeyIsTheSameJobAndIsCounted() throws Exception {
    String key = key();
    RawResponse first = submit(key, "m", "");
    assertThat(submit(key, "m", "").text()).isEqualTo(first.text());
    JsonNode found =
        JSON.readTree(client.get(PATH + "?idempotency_key=" + key).readResponse().body());
    assertThat(found.path("id").asText()).isEqualTo(id(first));
    assertThat(client.get(PATH + "?idempotency_key=other").readResponse().status()).isEqualTo(404);
    JsonNode all = JSON.readTree(client.get("/_mock/jobs").readResponse().body());
    assertThat(all.path("jobs"))
        .filteredOn(job -> job.path("key").asText().equals(key))
        .singleElement()
        .satisfies(job -> assertThat(job.path("submissions").asInt()).isEqualTo(2));
    assertThat(client.post(PATH, "{\"model\":\"m\"}").readResponse().status()).isEqualTo(400);
  }

  @Test
  void jobsTakeTheirTimeAndCanBeCancelled() throws Exception {
    String id = id(submit(key(), "m?takes=3600s", ""));
    assertThat(poll(id).path("status").asText()).isEqualTo("queued");
    assertThat(delete(id).status()).isEqualTo(200);
    assertThat(poll(id).path("status").asText()).isEqualTo("cancelled");
    assertThat(delete(id).status()).isEqualTo(200);
    String done = id(submit(key(), "m", ""));
    assertThat(delete(done).status()).isEqualTo(409);
    String stubborn = id(submit(key(), "fault/job-no-cancel?takes=3600s", ""));
    assertThat(delete(stubborn).status()).isEqualTo(409);
    assertThat(client.get(PATH + "/mj_unknown").readResponse().status()).isEqualTo(404);
  }

  @Test
  void runningJobsReportProgressUnlessDisabled() throws Exception {
    JsonNode endless = poll(id(submit(key(), "fault/job-endless", "")));
    assertThat(endless.path("status").asText()).isEqualTo("running");
    assertThat(endless.path("progress").asInt()).isEqualTo(99);
    JsonNode silent = poll(id(submit(key(), "fault/job-endless?progress=false", "")));
    assertThat(silent.has("progress")).isFalse();
    JsonNode odd = poll(id(submit(key(), "fault/job-unknown-status", "")));
    assertThat(odd.path("status").asText()).isEqualTo("daydreaming");
  }

  @Test
  void jobsFailAsTheModelSelects() throws Exception {
    assertThat(submit(key(), "fault/job-refused", "").status()).isEqualTo(400);
    assertThat(submit(key(), "fault/no-such", "").status()).isEqualTo(404);
    assertThat(submit(key(), "m?what=1", "").status()).isEqualTo(404);
    JsonNode early = JSON.readTree(submit(key(), "fault/job-fails-queued", "").body());
    assertThat(early.at("/error/code").asText()).isEqualTo("content_policy");
    JsonNode late = JSON.readTree(submit(key(), "fault/job-fails-running", "").body());
    assertThat(late.path("status").asText()).isEqualTo("failed");
    assertThat(late.at("/error/code").asText()).isEqualTo("generation_failed");
    String forgotten = id(submit(key(), "fault/job-forgotten", ""));
    assertThat(client.get(PATH + "/" + forgotten).readResponse().status()).isEqualTo(404);
    String shaky = id(submit(key(), "fault/job-polls-fail:1", ""));
    assertThat(client.get(PATH + "/" + shaky).readResponse().status()).isEqualTo(503);
    assertThat(client.get(PATH + "/" + shaky).readResponse().status()).isEqualTo(200);
    JsonNode none = JSON.readTree(submit(key(), "fault/file-none", "").body());
    assertThat(none.path("files")).isEmpty();
    JsonNode other = JSON.readTree(submit(key(), "x/fault/job-length:3", "").body());
    assertThat(other.path("seconds").asDouble()).isEqualTo(3);
  }

  @Test
  void aBusyProviderAcceptsALaterSubmission() throws Exception {
    String key = key();
    assertThat(submit(key, "fault/job-busy:2", "").status()).isEqualTo(503);
    assertThat(client.get(PATH + "?idempotency_key=" + key).readResponse().status()).isEqualTo(404);
    assertThat(submit(key, "fault/job-busy:2", "").status()).isEqualTo(503);
    assertThat(submit(key, "fault/job-busy:2", "").status()).isEqualTo(200);
  }

  @Test
  void aJobWithALostReplyIsFoundByItsKey() throws Exception {
    String key = key();
    client.post(PATH, "{\"model\":\"fault/job-lost-answer\"}", "Idempotency-Key: " + key);
    client.awaitClosed();
    try (RawClient fresh = RawClient.connect(MOCK.port())) {
      assertThat(fresh.get(PATH + "?idempotency_key=" + key).readResponse().status())
          .isEqualTo(200);
    }
  }

  @Test
  void filesFailAsTheModelSelects() throws Exception {
    String small = ",\"duration_seconds\":1,\"resolution\":\"16x16\"";
    assertThat(file("fault/file-html", small).header("content-type")).isEqualTo("text/html");
    String late = id(submit(key(), "fault/file-late:1", small));
    assertThat(client.get(PATH + "/" + late + "/files/0").readResponse().status()).isEqualTo(404);
    assertThat(client.get(PATH + "/" + late + "/files/0").readResponse().status()).isEqualTo(200);
    assertThat(file("fault/file-large:2", small).body()).hasSize(2 << 20);
    assertThat(file("fault/file-slow:1", small).status()).isEqualTo(200);
    String cut = id(submit(key(), "fault/file-cut", small));
    client.get(PATH + "/" + cut + "/files/0");
    assertThat(new String(client.readToEnd(), ISO_8859_1)).contains("ftyp");
  }

  @Test
  void aModelMayDelegateToTheRequest() throws Exception {
    assertThat(submit(key(), "any/asked", ",\"x_mock\":\"fault/job-refused\"").status())
        .isEqualTo(400);
    assertThat(submit(key(), "any/asked", "").status()).isEqualTo(200);
  }

  private RawResponse file(String model, String more) throws Exception {
    return client.get(PATH + "/" + id(submit(key(), model, more)) + "/files/0").readResponse();
  }

  private RawResponse submit(String key, String model, String more) {
    String body = "{\"model\":\"" + model + "\",\"prompt\":\"a cat\"" + more + "}";
    return client.post(PATH, body, "Idempotency-Key: " + key).readResponse();
  }

  private RawResponse delete(String id) {
    return client
        .send("DELETE " + PATH + "/" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .readResponse();
  }

  private JsonNode poll(String id) throws Exception {
    return JSON.readTree(client.get(PATH + "/" + id).readResponse().body());
  }

  private static String id(RawResponse accepted) throws Exception {
    return JSON.readTree(accepted.body()).path("id").asText();
  }

  private static String key() {
    return UUID.randomUUID().toString();
  }
}
