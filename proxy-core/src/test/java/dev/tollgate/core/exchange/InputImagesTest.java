package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.testkit.InMemoryBlobs;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Images that a request names by URL: fetched by the gateway, their URLs are not passed on. */
class InputImagesTest {
  private static final String PNG = "\u0089PNG\r\n\u001a\n" + "pixels".repeat(20_000);
  private static final String INLINE = "iVBORw0KGgoAAAAN";
  private static final String URL = "https://good.example/cat.png";

  private static String ask(String... images) {
    return "{\"model\":\"acme/one\",\"prompt\":\"p\",\"input_images\":[\""
        + String.join("\",\"", images)
        + "\"],\"n\":1}";
  }

  private static byte[] image(String bytes) {
    String head = "HTTP/1.1 200 OK\r\nContent-Length: " + bytes.length() + "\r\n\r\n";
    return (head + bytes).getBytes(ISO_8859_1);
  }

  private static String dataUrl(String type, String bytes) {
    String base64 = Base64.getEncoder().encodeToString(bytes.getBytes(ISO_8859_1));
    return "data:image/" + type + ";base64," + base64;
  }

  private static Scenario scenario(String... providers) {
    return withBudget(8 * 1024 * 1024, providers);
  }

  private static Scenario withBudget(long bytes, String... providers) {
    var scenario = Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.all(providers)), bytes);
    scenario.names().answer("good.example", "93.184.216.34");
    return scenario;
  }

  @ParameterizedTest
  @EnumSource(names = {"IMAGE_GENERATIONS", "IMAGE_EDITS"})
  void aProviderGetsTheImageAndNotItsUrl(Endpoint endpoint) {
    try (var scenario = scenario("alpha")) {
      RecordedClient client =
          scenario.ask(endpoint, ask(URL, INLINE, "HTTPS:\\/\\/good.example/b.gif"));
      assertThat(scenario.links()).as("two images, and no provider").isEqualTo(2);
      scenario.passMillis(300);
      scenario.link(1).send(image("GIF89a......"));
      scenario.run();
      assertThat(scenario.links()).isEqualTo(2);
      scenario.link(0).send(image(PNG));
      assertThat(scenario.link(2).received())
          .startsWith("POST /v1/images/edits HTTP/1.1\r\nhost: alpha.example\r\n")
          .endsWith(
              "{\"model\":\"one-at-alpha\",\"prompt\":\"p\",\"images\":[{\"image_url\":\""
                  + dataUrl("png", PNG)
                  + "\"},{\"image_url\":\"data:image/png;base64,"
                  + INLINE
                  + "\"},{\"image_url\":\""
                  + dataUrl("gif", "GIF89a......")
                  + "\"}],\"n\":1}");
      scenario.link(2).send(OpenAiWire.images(3, 4));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().timing().phases())
          .extracting(RequestRecord.PhaseEntry::phase)
          .containsSubsequence("limiting", "fetching", "connecting");
      assertThat(scenario.served().timing().overhead()).as("others' time").isZero();
      assertThat(scenario.served().timing().upstream()).isZero();
    }
  }

  @Test
  void theNextProviderGetsTheImagesThatWereFetchedOnce() {
    try (var scenario = scenario("alpha", "beta")) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.REFUSES);
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      scenario.link(0).send(image(PNG));
      assertThat(scenario.link(1).received())
          .contains("host: beta.example\r\n")
          .contains(dataUrl("png", PNG));
      scenario.link(1).send(OpenAiWire.images(3, 4));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.names().asked()).containsExactly("good.example");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "https://169.254.169.254/latest/meta-data/, ssrf_blocked",
    "https://[::1]/, ssrf_blocked",
    "https://inner.example/, ssrf_blocked",
    "https://good.example:22/, ssrf_blocked",
    "https://nowhere.example/, validation_failed",
    "https://user@good.example/, validation_failed",
    "https:///good.example/, validation_failed",
    "http://good.example/, validation_failed",
  })
  void aUrlThatMayNotBeCalledRefusesTheRequest(String url, String code) {
    try (var scenario = scenario("alpha")) {
      scenario.names().answer("inner.example", "10.0.0.1");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(INLINE, url));
      Fault fault = client.fault();
      assertThat(fault.code().wire()).isEqualTo(code);
      assertThat(fault.code().status()).isEqualTo(400);
      assertThat(fault.param()).isEqualTo("input_images[1]");
      assertThat(fault.shouldRetry()).isFalse();
      assertThat(scenario.links()).isZero();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.REJECTED);
      assertThat(scenario.record().code()).isEqualTo(fault.code());
    }
  }

  @Test
  void aRedirectInsideRefusesTheRequestAndGivesUpTheOthers() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL, URL, URL));
      scenario.link(1).send("HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\n\r\n");
      scenario.run();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
      assertThat(client.fault().param()).isEqualTo("input_images[1]");
      assertThat(scenario.links()).isEqualTo(3);
      assertThat(scenario.connector().links()).noneMatch(link -> link.isOpen());
    }
  }

  @Test
  void whatIsNoImageRefusesTheRequest() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      scenario.link(0).send(image("<!doctype html>"));
      scenario.run();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(client.fault().param()).isEqualTo("input_images[0]");
    }
  }

  @Test
  void aFewAreFetchedAtATime() {
    try (var scenario = scenario("alpha")) {
      String[] all = Collections.nCopies(10, URL).toArray(String[]::new);
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(all));
      List<Integer> underWay = new ArrayList<>();
      for (int n = 0; n < 10; n++) {
        underWay.add(scenario.links() - n);
        scenario.link(n).send(image("GIF89a......"));
        scenario.run();
      }
      assertThat(underWay).containsExactly(4, 4, 4, 4, 4, 4, 4, 3, 2, 1);
      scenario.link(10).send(OpenAiWire.images(3, 4));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void imagesCountAmongTheBytesInWork() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      scenario.link(0).send(image(PNG), 0, 100_000);
      scenario.run();
      assertThat(scenario.inflight().held()).isGreaterThan(99_000);
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();
      assertThat(scenario.inflight().held()).isZero();
    }
    try (var scenario = withBudget(50_000, "alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      scenario.link(0).send(image(PNG));
      scenario.run();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(client.fault().shouldRetry()).isTrue();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.SHED);
    }
  }

  @Test
  void theyAreReleasedAsSoonAsTheProviderHasThem() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      scenario.link(0).send(image(PNG));
      assertThat(scenario.link(1).received()).contains(dataUrl("png", PNG));
      assertThat(scenario.run().inflight().held()).isZero();
      scenario.link(1).send(OpenAiWire.images(3, 4));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void whoLeavesMeanwhileHasBoughtNothing() {
    try (var scenario = scenario("alpha")) {
      scenario.names().answer("slow.example", "SILENT");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL, "https://slow.example/"));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.passSeconds(20);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.served().cost().value()).isZero();
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void aNodeThatStopsDoesNotWaitForThem() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      client.cutShort(Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "Stopping.").withRetryAfter(1));
      scenario.run();
      assertThat(client.fault().shouldRetry()).as("nobody was asked").isTrue();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DRAINED);
    }
  }

  @Test
  void aHostThatDripsIsGivenUp() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      scenario.pass(Duration.ofSeconds(16));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(client.fault().message()).contains("too long");
    }
  }

  /** A refused request causes no fetch. */
  @Test
  void nothingIsFetchedAheadOfMoneyAndLimits() {
    try (var scenario = scenario("alpha")) {
      scenario
          .ledger()
          .refuse(
              Fault.of(ErrorCode.INSUFFICIENT_CREDITS, "No."),
              Ledger.ReserveResult.RefusalCause.INSUFFICIENT_FUNDS);
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask(URL));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.INSUFFICIENT_CREDITS);
      assertThat(scenario.names().asked()).isEmpty();
    }
  }

  /** Covers every route: a new field with a URL needs a guard. */
  @ParameterizedTest
  @EnumSource
  void everyUrlOfAClientIsGuarded(Endpoint endpoint) {
    String inside = "https://169.254.169.254/";
    switch (endpoint) {
      case IMAGE_GENERATIONS, IMAGE_EDITS -> {
        try (var scenario = scenario("alpha")) {
          RecordedClient client = scenario.ask(endpoint, ask(inside));
          assertThat(client.fault().code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
          assertThat(scenario.connector().addresses()).isEmpty();
        }
      }
      case CHAT_COMPLETIONS, RESPONSES -> {
        String part =
            endpoint == Endpoint.RESPONSES
                ? "{\"type\":\"input_image\",\"image_url\":\"" + inside + "\"}"
                : "{\"type\":\"image_url\",\"image_url\":{\"url\":\"" + inside + "\"}}";
        String list = endpoint == Endpoint.RESPONSES ? "input" : "messages";
        try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
          RecordedClient client =
              scenario.ask(
                  endpoint,
                  "{\"model\":\"acme/one\",\""
                      + list
                      + "\":[{\"role\":\"user\",\"content\":["
                      + part
                      + "]}]}");
          assertThat(client.fault().code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
          assertThat(scenario.links()).isZero();
        }
      }
      case VIDEO_GENERATIONS, MUSIC_GENERATIONS -> submissionIsRefused(endpoint, inside);
      case COMPLETIONS,
          EMBEDDINGS,
          SPEECH,
          TRANSCRIPTIONS,
          VIDEO_JOB,
          MUSIC_JOB,
          JOB,
          VIDEO_JOB_DELETION,
          MUSIC_JOB_DELETION,
          MODELS,
          MODEL,
          KEY,
          CREDITS,
          ARTIFACT -> {} // no field of theirs is a URL
    }
  }

  private static void submissionIsRefused(Endpoint endpoint, String inside) {
    boolean isVideo = endpoint == Endpoint.VIDEO_GENERATIONS;
    var catalog =
        TestCatalog.of(isVideo ? Modality.VIDEO : Modality.MUSIC, TestCatalog.all("alpha"));
    var blobs = new InMemoryBlobs(() -> Scenario.NOW, Duration.ofHours(1));
    try (var scenario = Scenario.storing(catalog, blobs, 1 << 20)) {
      String body = "{\"model\":\"acme/one\",\"prompt\":\"p\",\"webhook_url\":\"" + inside + "\"}";
      RecordedClient client = scenario.submit(endpoint, body, "key");
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
      assertThat(scenario.connector().addresses()).isEmpty();
      assertThat(scenario.jobs().specs()).isEmpty();
    }
  }
}
