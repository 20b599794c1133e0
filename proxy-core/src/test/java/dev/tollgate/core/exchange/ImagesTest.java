package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Images are bought once: counted, charged, and never asked for a second time. */
class ImagesTest {
  private static final String NO_TOKENS =
      "\"input_tokens\":0,\"output_tokens\":0,\"total_tokens\":0,"
          + "\"input_tokens_details\":{\"text_tokens\":0,\"image_tokens\":0},";
  private static final String ASK =
      "{\"model\":\"acme/one\",\"prompt\":\"A gate.\",\"n\":2,\"size\":\"1024x1024\"}";
  private static final PriceList BY_IMAGE =
      new PriceList(
          TokenPrices.ZERO,
          List.of(),
          0,
          0,
          0,
          List.of(
              image("1024x1024", "low", 10_000),
              image("1024x1024", "high", 70_000),
              image("512x512", "low", 5_000)),
          0,
          0);

  private static ImagePrice image(String size, String quality, long micro) {
    return new ImagePrice(Optional.of(size), Optional.of(quality), micro * 1_000_000);
  }

  private static Scenario byImage(String... providers) {
    return Scenario.of(TestCatalog.of(Modality.IMAGE, BY_IMAGE, TestCatalog.all(providers)));
  }

  private static Scenario byTokens(String... providers) {
    return Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.all(providers)));
  }

  private static RecordedClient ask(Scenario scenario) {
    return scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
  }

  private static String reply(String body) {
    return OpenAiWire.response(200, "OK", "", body);
  }

  @Test
  void itsImagesPassAsTheyAreAndAreCountedAndCharged() {
    try (var scenario = byImage("alpha")) {
      RecordedClient client = ask(scenario);
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1/images/generations HTTP/1.1\r\n")
          .endsWith(
              "{\"model\":\"one-at-alpha\",\"prompt\":\"A gate.\",\"n\":2,\"size\":\"1024x1024\"}");
      String data =
          "[ {\"url\": \"https:\\/\\/a/b?c\", \"revised_prompt\":\"A wide gate.\"} ,{\"url\":\"u\",\"x\":1}]";
      scenario.link(0).send(reply("{\"created\": 17,\"data\": " + data + ",\"quality\":\"low\"}"));

      assertThat(client.whole().body())
          .isEqualTo(
              "{\"created\": 17,\"provider\":\"alpha\",\"data\": "
                  + data
                  + ",\"quality\":\"low\",\"usage\":{"
                  + NO_TOKENS
                  + "\"images\":2,\"x_llm_cost_micro\":20000}}");
      assertThat(client.whole().contentType()).isEqualTo("application/json");
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("20000");
      assertThat(client.hasField("X-LLM-Cost-Estimated")).isFalse();
      var charged = scenario.ledger().charged().getFirst();
      assertThat(charged.reserved().value()).as("at best").isEqualTo(140_000);
      assertThat(charged.cost().value()).isEqualTo(20_000);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void fewerImagesCostLessAndWhatIsNoneCostsNothing() {
    try (var scenario = byImage("alpha")) {
      RecordedClient client = ask(scenario);
      scenario
          .link(0)
          .send(
              reply(
                  "{\"data\":[{\"b64_json\":\"iVBO\",\"url\":null},{\"b64_json\":\"\"},{\"error\":1}],"
                      + "\"quality\":\"high\",\"size\":\"auto\",\"provider\":\"x\",\"model\":\"m\"}"));
      assertThat(client.whole().body())
          .startsWith("{\"created\":1700000000,\"provider\":\"alpha\",\"data\":[{")
          .endsWith(
              ",\"model\":\"acme/one\",\"usage\":{"
                  + NO_TOKENS
                  + "\"images\":1,\"x_llm_cost_micro\":70000}}");
    }
  }

  @Test
  void tokensAreChargedAsTheProviderCountsThem() {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario);
      scenario
          .link(0)
          .send(
              reply(
                  "{\"created\":1,\"data\":[{\"b64_json\":\"iVBO\"}],\"usage\":{\"input_tokens\":13,"
                      + "\"input_tokens_details\":{\"text_tokens\":13.0},\"images\":9,\"output_tokens\":272,\"total_tokens\":285,\"x_llm_cost_micro\":1}}"));
      assertThat(client.whole().body())
          .endsWith(
              "\"usage\":{\"input_tokens\":13,"
                  + "\"input_tokens_details\":{\"text_tokens\":13,\"image_tokens\":0},"
                  + "\"output_tokens\":272,\"total_tokens\":285,"
                  + "\"images\":1,\"x_llm_cost_micro\":557}}");
      assertThat(scenario.served().usage().estimated()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'text_tokens':13,'image_tokens':1000} | 13 * 5 + 1000 * 8 + 272 * 30 | 16225",
        "{'text_tokens':1013} | no images | 13225",
        "{'image_tokens':9999} | all are images | 16264"
      })
  void imagesThatOthersAreMadeOfHaveTheirOwnPrice(String details, String sum, long micro) {
    long one = 1_000_000;
    var tokens = new TokenPrices(5 * one, one, 5 * one, 5 * one, 5 * one, 8 * one, 30 * one, 0, 0);
    PriceList prices = PriceList.ofTokens(tokens);
    try (var scenario =
        Scenario.of(TestCatalog.of(Modality.IMAGE, prices, TestCatalog.provider("alpha")))) {
      RecordedClient client = ask(scenario);
      String usage =
          "{'input_tokens':1013,'input_tokens_details':" + details + ",'output_tokens':272}";
      scenario
          .link(0)
          .send(
              reply(
                  "{\"data\":[{\"b64_json\":\"iVBO\"}],\"usage\":"
                      + usage.replace('\'', '"')
                      + "}"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().cost().value()).as(sum).isEqualTo(micro);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"usage\":{\"cost_in_usd_ticks\":700000000}",
        ",\"usage\":{\"input_tokens\":1,\"output_tokens\":99999999}"
      })
  void tokensWithoutReportedUsageAreEstimated(String usage) {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario);
      scenario.link(0).send(reply("{\"data\":[{\"b64_json\":\"iVBO\"}]" + usage + "}"));
      assertThat(client.whole().body())
          .endsWith(
              "\"usage\":{\"input_tokens\":3,\"output_tokens\":1290,\"total_tokens\":1293,"
                  + "\"input_tokens_details\":{\"text_tokens\":3,\"image_tokens\":0},"
                  + "\"images\":1,\"x_llm_cost_micro\":2583,\"x_llm_usage_estimated\":true}}");
      assertThat(client.field("X-LLM-Cost-Estimated")).isEqualTo("true");
    }
  }

  @Test
  void whatAnImageCostsIsKnownWithoutTokens() {
    try (var scenario = byImage("alpha")) {
      RecordedClient client = ask(scenario);
      scenario
          .link(0)
          .send(reply("{\"data\":[{\"url\":\"u\"}],\"usage\":{\"cost_in_usd_ticks\":700000000}}"));
      assertThat(client.whole().body())
          .endsWith("\"usage\":{" + NO_TOKENS + "\"images\":1,\"x_llm_cost_micro\":70000}}")
          .doesNotContain("ticks");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void whereNoConnectionIsMadeTheNextIsAsked() {
    try (var scenario = byImage("alpha", "beta")) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.REFUSES);
      RecordedClient client = ask(scenario);
      scenario.lastRequestLink().send(reply("{\"data\":[{\"url\":\"u\"}]}"));
      assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "500 | provider_unavailable",
        "503 | provider_unavailable",
        "529 | provider_unavailable",
        "302 | provider_error",
        "200 | provider_unavailable"
      })
  void aPossiblyExecutedRequestIsRetriedNeitherHereNorByTheClient(int status, String code) {
    try (var scenario = byImage("alpha", "beta")) {
      RecordedClient client = ask(scenario);
      String fields = "Retry-After: 1\r\n";
      scenario.link(0).send(OpenAiWire.error(status, fields, "server_error", "No."));
      requireForbidden(client, code);
      requireNoOtherAttempt(scenario);
    }
  }

  @Test
  void norWhatBrokeOff() {
    for (String begun : new String[] {"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"}) {
      for (boolean reset : new boolean[] {true, false}) {
        try (var scenario = byImage("alpha", "beta")) {
          RecordedClient client = ask(scenario);
          scenario.link(0).send(begun);
          if (reset) {
            scenario.link(0).reset();
          } else {
            scenario.link(0).fin();
          }
          requireForbidden(
              client, reset && begun.isEmpty() ? "provider_unavailable" : "provider_disconnect");
          requireNoOtherAttempt(scenario);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "{}", "[{}]", "[{\"url\":\"\"}]", "[7]", "null"})
  void norWhatIsNoImage(String data) {
    try (var scenario = byImage("alpha", "beta")) {
      RecordedClient client = ask(scenario);
      scenario.link(0).send(reply("{\"created\":1,\"data\":" + data + "}"));
      requireForbidden(client, "provider_error");
      requireNoOtherAttempt(scenario);
    }
  }

  @Test
  void norWhatFindsNoRoomHere() {
    try (var scenario =
        Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.all("alpha", "beta")), 50_000)) {
      RecordedClient client = ask(scenario);
      String image = "x".repeat(60_000);
      scenario.link(0).send(reply("{\"data\":[{\"b64_json\":\"" + image + "\"}]}"));
      requireForbidden(client, "service_unavailable");
      requireNoOtherAttempt(scenario);
    }
  }

  private static void requireForbidden(RecordedClient client, String code) {
    assertThat(client.fault().code().wire()).isEqualTo(code);
    assertThat(client.fault().shouldRetry()).isFalse();
    assertThat(client.fault().retryAfterSeconds()).isZero();
  }

  private static void requireNoOtherAttempt(Scenario scenario) {
    scenario.passSeconds(3);
    assertThat(scenario.requests()).isOne();
    assertThat(scenario.served().cost().value()).isZero();
  }

  /** It is not asked for elsewhere, since none may be: but a client may ask again. */
  @Test
  void aProviderThatSaysThatItDidNothingIsBelieved() {
    try (var scenario = byImage("alpha", "beta")) {
      RecordedClient client = ask(scenario);
      scenario
          .link(0)
          .send(OpenAiWire.error(429, "Retry-After: 7\r\n", "rate_limit_exceeded", "No."));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_RATE_LIMITED);
      assertThat(client.fault().shouldRetry()).isTrue();
      assertThat(client.fault().retryAfterSeconds()).isEqualTo(7);
      assertThat(scenario.requests()).isOne();
    }
  }

  @Test
  void itsConnectionIsAlwaysANewOne() {
    try (var scenario = byImage("alpha")) {
      for (int n = 0; n < 3; n++) {
        RecordedClient client = ask(scenario);
        scenario.link(n).send(reply("{\"data\":[{\"url\":\"u\"}]}"));
        assertThat(client.whole().status()).isEqualTo(200);
        assertThat(scenario.link(n).isOpen()).as("it may serve chats").isTrue();
      }
    }
  }

  @Test
  void itMayTakeFiveMinutesToBegin() {
    try (var scenario = byImage("alpha", "beta")) {
      RecordedClient client = ask(scenario);
      scenario.passSeconds(299);
      scenario.link(0).send("HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n");
      scenario.passSeconds(299);
      scenario.link(0).send("{\"data\":[{\"url\":\"u\"}]}    ");
      assertThat(client.whole().status()).isEqualTo(200);
    }
    try (var scenario = byImage("alpha", "beta")) {
      RecordedClient client = ask(scenario);
      scenario.passSeconds(301);
      requireForbidden(client, "provider_timeout");
      requireNoOtherAttempt(scenario);
    }
  }

  @Test
  void anUnresponsiveProviderIsAwaitedWithoutAnAlternative() {
    try (var scenario = byImage("alpha", "beta")) {
      RecordedClient one = ask(scenario);
      RecordedClient other = ask(scenario);
      scenario.passSeconds(60);
      assertThat(one.isAnswered() || other.isAnswered()).isFalse();
      scenario.link(0).send(reply("{\"data\":[{\"url\":\"u\"}]}"));
      scenario.link(1).send(reply("{\"data\":[{\"url\":\"u\"}]}"));
      assertThat(one.whole().status()).isEqualTo(200);
      assertThat(other.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void whoLeavesHasBoughtIt() {
    try (var scenario = byImage("alpha")) {
      RecordedClient client = ask(scenario);
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.run().records()).isEmpty();
      assertThat(scenario.link(0).isOpen()).isTrue();
      scenario.passSeconds(200);
      scenario.link(0).send(reply("{\"data\":[{\"url\":\"u\"}],\"quality\":\"low\"}"));
      assertThat(scenario.served().cost().value()).isEqualTo(10_000);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.record().status()).isZero();
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void whoLeavesPaysNothingForAFailureOrBeforeItWasAskedFor() {
    try (var scenario = byImage("alpha", "beta")) {
      ask(scenario).disconnect(DisconnectReason.ABORTED);
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "No."));
      assertThat(scenario.served().cost().value()).isZero();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.requests()).isOne();
    }
    try (var scenario = byImage("alpha")) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
      ask(scenario).disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.requests()).isZero();
    }
  }

  @Test
  void aFormIsSentFromTheBodyItCameIn() {
    byte[] form = OpenAiWire.pictures("p", "x=" + "y".repeat(60_000)).getBytes(ISO_8859_1);
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, form);
      for (var part : scenario.link(0).takeWritten()) {
        if (part.readableBytes() >= 16 * 1_024) {
          assertThat(part.array()).as("no copy of the file").isSameAs(form);
        }
        part.release();
      }
      scenario.link(0).send(OpenAiWire.images(3, 4));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void imagesInJsonCountWhileTheyAreBuiltAndWritten() {
    String image = "iVBORw0KGgoAAAAN".repeat(2_500);
    String ask = ASK.replace("}", ",\"input_images\":[\"" + image + "\"]}");
    try (var scenario = byTokens("alpha")) {
      scenario.connector().holdNewLinks(true);
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask);
      assertThat(scenario.inflight().held()).isGreaterThan(2L * image.length());
      scenario.link(0).reads(true);
      assertThat(scenario.run().link(0).received())
          .startsWith("POST /v1/images/edits HTTP/1.1\r\n")
          .contains("{\"image_url\":\"data:image/png;base64,iVBO");
      scenario.link(0).send(OpenAiWire.images(3, 4));
      assertThat(client.whole().status()).isEqualTo(200);
    }
    try (var scenario =
        Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.all("alpha", "beta")), 60_000)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ask);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(client.fault().shouldRetry()).as("nobody got it").isTrue();
    }
  }

  /** It takes minutes to come, in which others need the room. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRequestIsReleasedAsSoonAsItsProviderHasIt(boolean isForm) {
    try (var scenario = byTokens("alpha", "beta")) {
      scenario.connector().holdNewLinks(true);
      WeakReference<byte[]> body = askLarge(scenario, isForm);
      assertThat(scenario.inflight().held()).isGreaterThan(40_000);
      scenario.link(0).reads(true);
      assertThat(scenario.run().link(0).received()).startsWith("POST /v1/images/edits HTTP/1.1");
      scenario.passSeconds(1);
      assertThat(scenario.inflight().held()).isZero();
      assertThat(isCollected(body)).isTrue();
      scenario.link(0).send(OpenAiWire.images(3, 4));
      scenario.run();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  private static WeakReference<byte[]> askLarge(Scenario scenario, boolean isForm) {
    String image = "iVBORw0KGgoAAAAN".repeat(2_500);
    byte[] bytes =
        isForm
            ? OpenAiWire.pictures("p", "x=" + image).getBytes(ISO_8859_1)
            : ASK.replace("}", ",\"input_images\":[\"" + image + "\"]}").getBytes(ISO_8859_1);
    scenario.ask(Endpoint.IMAGE_EDITS, bytes);
    return new WeakReference<>(bytes);
  }

  private static boolean isCollected(WeakReference<byte[]> body) {
    for (int n = 0; n < 20 && body.get() != null; n++) {
      System.gc();
    }
    return body.get() == null;
  }

  @Test
  void whatCannotBeWrittenIsReleasedAndNotAskedForAgain() {
    try (var scenario = byTokens("alpha", "beta")) {
      scenario.connector().holdNewLinks(true);
      RecordedClient client =
          scenario.ask(
              Endpoint.IMAGE_EDITS,
              OpenAiWire.pictures("p", "x=" + "y".repeat(60_000)).getBytes(ISO_8859_1));
      scenario.link(0).reset();
      requireForbidden(client, "provider_unavailable");
      scenario.passSeconds(3);
      assertThat(scenario.links()).isOne();
      assertThat(scenario.served().cost().value()).isZero();
    }
  }

  @Test
  void aNodeThatStopsForbidsARetry() {
    try (var scenario = byImage("alpha")) {
      RecordedClient client = ask(scenario);
      client.cutShort(Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "Stopping.").withRetryAfter(1));
      requireForbidden(client, "service_unavailable");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DRAINED);
    }
  }

  /** A client in haste would have for nothing what its provider makes and bills. */
  @Test
  void whatIsBoughtIsReadToItsEndHoweverShortTheClientsOwnTime() {
    try (var scenario = byImage("alpha")) {
      RecordedClient client =
          scenario.ask(
              Endpoint.IMAGE_GENERATIONS,
              ASK.replace("\"n\":2", "\"n\":2,\"routing\":{\"timeout_ms\":1000}"));
      scenario.passSeconds(30);
      scenario
          .link(0)
          .send(
              reply(
                  "{\"created\":1,\"data\":[{\"url\":\"u\"},{\"url\":\"v\"}],\"quality\":\"low\"}"));
      assertThat(client.whole().body()).contains("\"x_llm_cost_micro\":20000");
    }
  }
}
