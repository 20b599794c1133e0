package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Base64;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Media URLs in chats that a provider would fetch itself: passed, judged, fetched or refused. */
class RemoteMediaTest {
  private static final String URL = "https://good.example/cat.png";
  private static final String METADATA = "https://169.254.169.254/latest/meta-data/";
  private static final String GIF = "GIF89a......";
  private static final String GIF_URI =
      "data:image/gif;base64," + Base64.getEncoder().encodeToString(GIF.getBytes(ISO_8859_1));

  private static Provider with(String name, RemoteMedia rule) {
    return TestCatalog.with(TestCatalog.provider(name), rule);
  }

  private static Scenario scenario(Provider... providers) {
    var scenario = Scenario.of(TestCatalog.of(providers));
    scenario.names().answer("good.example", "93.184.216.34");
    return scenario;
  }

  private static Scenario usual() {
    return scenario(TestCatalog.provider("alpha"));
  }

  private static String part(String url) {
    return "{\"type\":\"image_url\",\"image_url\":{\"url\":\"" + url + "\"}}";
  }

  private static String chat(String parts) {
    return "{\"model\":\"acme/one\",\"messages\":[{\"role\":\"user\",\"content\":["
        + "{\"type\":\"text\",\"text\":\"See "
        + URL
        + "\"},"
        + parts
        + "]}]}";
  }

  private static byte[] image() {
    return image(GIF);
  }

  private static byte[] image(String bytes) {
    return ("HTTP/1.1 200 OK\r\nContent-Length: " + bytes.length() + "\r\n\r\n" + bytes)
        .getBytes(ISO_8859_1);
  }

  private static void answer(Scenario scenario, int link, RecordedClient client) {
    scenario.link(link).send(OpenAiWire.completion("fine"));
    assertThat(client.whole().status()).isEqualTo(200);
  }

  // judge

  @ParameterizedTest
  @CsvSource({
    METADATA + ", ssrf_blocked",
    "https://2852039166/latest/, ssrf_blocked",
    "https://0xa9fea9fe/latest/, ssrf_blocked",
    "https://0251.0376.0251.0376/, ssrf_blocked",
    "https://[::ffff:169.254.169.254]/, ssrf_blocked",
    "https://[fd00:ec2::254]/latest/, ssrf_blocked",
    "https://metadata.google.internal/, ssrf_blocked",
    "https://localhost/, ssrf_blocked",
    "https://good.example:22/, ssrf_blocked",
    "https://inner.example/, ssrf_blocked",
    "http://169.254.169.254/latest/, validation_failed",
    "\\u0020http://169.254.169.254/, validation_failed",
    "file:///etc/passwd, validation_failed",
    "/etc/passwd.png, validation_failed",
    "gs://bucket/cat.png, validation_failed",
  })
  void whatMayNotBeCalledIsRefused(String url, String code) {
    try (var scenario = usual()) {
      scenario.names().answer("inner.example", "93.184.216.34,10.0.0.1");
      RecordedClient client = scenario.ask(chat(part(URL) + "," + part(url)));
      Fault fault = client.fault();
      assertThat(fault.code().wire()).isEqualTo(code);
      assertThat(fault.code().status()).isEqualTo(400);
      assertThat(fault.param()).isEqualTo("messages[0].content[2].image_url.url");
      assertThat(fault.shouldRetry()).isFalse();
      assertThat(scenario.links()).isZero();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.REJECTED);
      assertThat(scenario.served().cost().value()).isZero();
    }
  }

  @Test
  void whatIsPublicIsPassedOnAsItIs() {
    try (var scenario = usual()) {
      RecordedClient client =
          scenario.ask(chat(part("HTTPS:\\/\\/good.example/a") + "," + part(URL)));
      assertThat(scenario.link(0).received()).contains("HTTPS:\\/\\/good.example/a", part(URL));
      assertThat(scenario.names().asked()).as("each host once").containsOnlyOnce("good.example");
      answer(scenario, 0, client);
      assertThat(scenario.served().timing().phases())
          .extracting(RequestRecord.PhaseEntry::phase)
          .containsSubsequence("limiting", "fetching", "connecting");
    }
  }

  @Test
  void whatIsInTheRequestIsNotJudged() {
    try (var scenario = usual()) {
      String body = chat(part(GIF_URI) + "," + part("iVBORw0KGgoAAAAN"));
      RecordedClient client = scenario.ask(body);
      assertThat(scenario.names().asked()).isEmpty();
      answer(scenario, 0, client);
      assertThat(scenario.served().timing().phases())
          .extracting(RequestRecord.PhaseEntry::phase)
          .doesNotContain("fetching");
    }
  }

  @Test
  void aNameWithoutAddressIsPassedOnToAPublicProviderOnly() {
    String unknown = "https://nowhere.example/";
    try (var scenario = usual()) {
      RecordedClient client = scenario.ask(chat(part(unknown)));
      assertThat(scenario.link(0).received()).contains(unknown);
      answer(scenario, 0, client);
    }
    try (var scenario = scenario(with("alpha", RemoteMedia.JUDGE))) {
      scenario.names().answer("alpha.example", "10.0.0.9");
      Fault fault = scenario.ask(chat(part(unknown))).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
    }
  }

  @Test
  void aSlowNameIsAwaitedForTwoSeconds() {
    try (var scenario = scenario(with("alpha", RemoteMedia.JUDGE))) {
      scenario.names().answer("slow.example", "SILENT");
      RecordedClient client = scenario.ask(chat(part("https://slow.example/")));
      assertThat(scenario.links()).isZero();
      scenario.passSeconds(2);
      answer(scenario, 0, client);
    }
  }

  @Test
  void whoLeavesMeanwhileCausesNoCall() {
    try (var scenario = usual()) {
      scenario.names().answer("slow.example", "SILENT");
      RecordedClient client = scenario.ask(chat(part("https://slow.example/")));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.passSeconds(3);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"JUDGE", "FETCH"})
  void moreThanAHundredAreRefused(RemoteMedia rule) {
    String many =
        IntStream.rangeClosed(0, MediaUrl.COUNT_MAX)
            .mapToObj(n -> part(URL))
            .collect(Collectors.joining(","));
    try (var scenario = scenario(with("alpha", rule))) {
      Fault fault = scenario.ask(chat(many)).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("messages[0].content[101].image_url.url");
      assertThat(scenario.names().asked()).isEmpty();
    }
  }

  // Other treatments, and the choice

  @ParameterizedTest
  @ValueSource(strings = {METADATA, "http://good.example/", "gs://bucket/cat.png"})
  void passAsksNothing(String url) {
    try (var scenario = scenario(with("alpha", RemoteMedia.PASS))) {
      RecordedClient client = scenario.ask(chat(part(url)));
      assertThat(scenario.link(0).received()).contains(part(url));
      assertThat(scenario.names().asked()).isEmpty();
      answer(scenario, 0, client);
    }
  }

  @Test
  void refuseTakesNoUrl() {
    try (var scenario = scenario(with("alpha", RemoteMedia.REFUSE))) {
      Fault fault = scenario.ask(chat(part(URL))).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("messages[0].content[1].image_url.url");
    }
    try (var scenario = scenario(with("alpha", RemoteMedia.REFUSE))) {
      answer(scenario, 0, scenario.ask(chat(part(GIF_URI))));
    }
  }

  @Test
  void aProviderThatTakesItServesInsteadOfOneThatDoesNot() {
    for (RemoteMedia rule : new RemoteMedia[] {RemoteMedia.REFUSE, RemoteMedia.JUDGE}) {
      try (var scenario = scenario(with("alpha", rule), with("beta", RemoteMedia.PASS))) {
        RecordedClient client = scenario.ask(chat(part(METADATA)));
        assertThat(scenario.link(0).host()).as(rule.name()).isEqualTo("beta.example");
        answer(scenario, 0, client);
      }
    }
  }

  @Test
  void aResponseNamesItsInput() {
    String body =
        "{\"model\":\"acme/one\",\"input\":[{\"role\":\"user\",\"content\":["
            + "{\"type\":\"input_image\",\"image_url\":\""
            + METADATA
            + "\"}]},{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":["
            + "{\"type\":\"input_image\",\"image_url\":\"https://127.0.0.1/\"}]}]}";
    try (var scenario = usual()) {
      Fault fault = scenario.ask(Endpoint.RESPONSES, body).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
      assertThat(fault.param()).isEqualTo("input[0].content[0].image_url");
    }
    try (var scenario = scenario(with("alpha", RemoteMedia.REFUSE))) {
      Fault fault = scenario.ask(Endpoint.RESPONSES, body).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("input[0].content[0].image_url");
    }
  }

  // fetch

  @Test
  void aPrivateProviderGetsTheImageInstead() {
    try (var scenario = usual()) {
      scenario.names().answer("alpha.example", "10.0.0.9");
      RecordedClient client = scenario.ask(chat(part("https:\\/\\/good.example/x")));
      scenario.link(0).send(image());
      assertThat(scenario.link(1).host()).isEqualTo("alpha.example");
      assertThat(scenario.link(1).received())
          .endsWith(chat(part(GIF_URI)).replace("acme/one", "one-at-alpha"));
      answer(scenario, 1, client);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void aLargeImageArrivesWhole() {
    String large = GIF + "pixels".repeat(30_000);
    String uri =
        "data:image/gif;base64," + Base64.getEncoder().encodeToString(large.getBytes(ISO_8859_1));
    try (var scenario = scenario(with("alpha", RemoteMedia.FETCH))) {
      RecordedClient client = scenario.ask(chat(part(URL) + "," + part(URL)));
      scenario.link(0).send(image(large));
      scenario.link(1).send(image(large));
      assertThat(scenario.inflight().held()).isGreaterThan(2L * large.length());
      assertThat(scenario.link(2).received())
          .endsWith(chat(part(uri) + "," + part(uri)).replace("acme/one", "one-at-alpha"));
      answer(scenario, 2, client);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void aRedirectInsideIsRefused() {
    try (var scenario = scenario(with("alpha", RemoteMedia.FETCH))) {
      RecordedClient client = scenario.ask(chat(part(URL)));
      scenario.link(0).send("HTTP/1.1 302 Found\r\nLocation: " + METADATA + "\r\n\r\n");
      scenario.run();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
      assertThat(client.fault().param()).isEqualTo("messages[0].content[1].image_url.url");
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void theUrlGoesToTheProviderBehindIfItCannotBeFetched() {
    try (var scenario =
        scenario(with("alpha", RemoteMedia.FETCH), with("beta", RemoteMedia.JUDGE))) {
      RecordedClient client = scenario.ask(chat(part(URL)));
      scenario.link(0).send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      assertThat(scenario.link(1).host()).isEqualTo("beta.example");
      assertThat(scenario.link(1).received()).contains(part(URL));
      answer(scenario, 1, client);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"" + URL + "\"}}",
        "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"" + URL + "\"}}"
      })
  void aTranslatedProviderGetsTheImageInItsOwnForm(String part) {
    Provider claude =
        TestCatalog.with(TestCatalog.ofDialect("anthropic", "alpha"), RemoteMedia.FETCH);
    try (var scenario = scenario(claude)) {
      RecordedClient client = scenario.ask(chat(part));
      scenario.link(0).send(image());
      assertThat(scenario.link(1).received())
          .contains("\"source\":{\"type\":\"base64\",\"media_type\":\"image/gif\",\"data\":\"")
          .doesNotContain("\"" + URL);
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();
    }
  }

  @Test
  void anObjectOfAStorageIsHandedOnWhereTheProviderTakesIt() {
    Provider gemini = TestCatalog.ofDialect("gemini", "alpha");
    try (var scenario = scenario(gemini)) {
      RecordedClient client = scenario.ask(chat(part("gs://bucket/cat.png")));
      assertThat(scenario.link(0).host()).isEqualTo("alpha.example");
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();
    }
    try (var scenario = scenario(TestCatalog.with(gemini, RemoteMedia.REFUSE))) {
      Fault fault = scenario.ask(chat(part("gs://bucket/cat.png"))).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
  }
}
