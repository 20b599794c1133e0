package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.InMemoryBlobs;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A large body is read and written on other threads, and whatever happens meanwhile ends once. */
class LargeRequestTest {
  private static final int LARGE = BodyWork.ON_LOOP_BYTES_MAX + 1;
  private static final Fault STOPPING =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "stopping").withRetryAfter(1);

  /** A chat of exactly this size. */
  private static String chat(int bytes, String members) {
    String head = "{\"model\":\"acme/one\"," + members + "\"messages\":[{\"role\":\"user\",";
    String rest = "\"content\":\"\"}]}";
    String text = "x".repeat(bytes - head.length() - rest.length());
    return head + rest.replace("\"\"", '"' + text + '"');
  }

  private static String large() {
    return chat(LARGE, "");
  }

  private static Scenario holding(String... providers) {
    return holding(TestCatalog.of(providers));
  }

  private static Scenario holding(Catalog catalog) {
    Scenario scenario = Scenario.of(catalog);
    scenario.offload().hold();
    return scenario;
  }

  private static void runNext(Scenario scenario) {
    scenario.offload().runNext();
    scenario.run();
  }

  @Test
  void onlyABodyAboveTheBoundLeavesTheLoop() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ask(chat(BodyWork.ON_LOOP_BYTES_MAX, ""));
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(scenario.offload().count()).isZero();

      RecordedClient client = scenario.ask(large());
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.offload().count()).as("read and written").isEqualTo(2);
    }
  }

  @Test
  void itIsReadAndWrittenAndThenSent() {
    try (var scenario = holding("alpha")) {
      RecordedClient client = scenario.ask(large());
      assertThat(scenario.links()).as("not read").isZero();
      runNext(scenario);
      assertThat(scenario.links()).as("read").isOne();
      assertThat(scenario.requests()).as("not written").isZero();
      runNext(scenario);
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.link(0).received()).contains("one-at-alpha", "xxx\"}]}");
    }
  }

  /** An end of the request that comes from outside. */
  enum End {
    ABORT(RequestOutcome.CLIENT_ABORT),
    STOP(RequestOutcome.DRAINED);

    private final RequestOutcome outcome;

    End(RequestOutcome outcome) {
      this.outcome = outcome;
    }

    void happenTo(RecordedClient client) {
      switch (this) {
        case ABORT -> client.disconnect(DisconnectReason.ABORTED);
        case STOP -> client.cutShort(STOPPING);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void anEndWhileItIsRead(End end) {
    try (var scenario = holding("alpha")) {
      RecordedClient client = scenario.ask(large());
      end.happenTo(client);
      assertThat(scenario.record().outcome()).isEqualTo(end.outcome);
      assertThat(scenario.inflight().held()).as("what is read is counted").isEqualTo(LARGE);
      runNext(scenario);
      assertThat(scenario.inflight().held()).isZero();
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anEndWhileItIsTranslated(End end) {
    try (var scenario = holding(TestCatalog.of(TestCatalog.ofDialect("anthropic", "alpha")))) {
      RecordedClient client = scenario.ask(large());
      runNext(scenario);
      end.happenTo(client);
      assertThat(scenario.record().outcome()).isEqualTo(end.outcome);
      assertThat(scenario.link(0).isOpen()).isFalse();
      assertThat(scenario.inflight().held()).isEqualTo(LARGE);
      runNext(scenario);
      assertThat(scenario.inflight().held()).isZero();
      assertThat(scenario.requests()).isZero();
    }
  }

  @Test
  void aFullQueueRefusesIt() {
    try (var scenario = holding("alpha")) {
      RecordedClient client = scenario.ask(large());
      scenario.offload().refuseNext();
      scenario.run();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(client.fault().retryAfterSeconds()).isPositive();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.SHED);
    }
  }

  @Test
  void aQueueThatIsFullWhenItIsToBeWrittenRefusesItToo() {
    try (var scenario = holding("alpha")) {
      RecordedClient client = scenario.ask(large());
      runNext(scenario);
      scenario.offload().refuseNext();
      scenario.run();
      assertThat(client.fault().code().status()).isEqualTo(503);
      assertThat(scenario.link(0).isOpen()).isFalse();
      assertThat(scenario.served().attempts()).hasSize(1);
    }
  }

  @Test
  void aBrokenBodyIsRefusedAsASmallOneIs() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.ask(chat(LARGE, "\"max_tokens\":1.5,"));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(client.fault().param()).isEqualTo("max_tokens");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.REJECTED);
    }
  }

  @Test
  void aListBeyondItsBoundIsNamed() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      String body = "{\"model\":\"acme/one\",\"messages\":[" + "1,".repeat(200_000) + "oops";
      Fault fault = scenario.ask(body).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("messages");
      assertThat(fault.message()).contains("must not have more than 65,536 items");
    }
  }

  @Test
  void aFaultOfTheReaderIsAnswered() {
    byte[] bytes = large().getBytes(US_ASCII);
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askImpossible(bytes);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.INTERNAL_FAILURE);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.INTERNAL_ERROR);
    }
  }

  @Test
  void aConnectionThatFailsMeanwhileIsNoticedWhenItIsWritten() {
    var catalog =
        TestCatalog.of(TestCatalog.provider("alpha"), TestCatalog.ofDialect("anthropic", "beta"));
    try (var scenario = holding(catalog)) {
      RecordedClient client = scenario.ask(large());
      runNext(scenario);
      scenario.link(0).reset();
      runNext(scenario);
      runNext(scenario);
      assertThat(scenario.link(1).received()).contains("xxx");
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.served().attempts()).hasSize(2);
    }
  }

  @Test
  void requiredParametersAreComparedWhereItIsRead() {
    var catalog = TestCatalog.of(TestCatalog.ofDialect("anthropic", "alpha"));
    try (var scenario = holding(catalog)) {
      RecordedClient client =
          scenario.ask(chat(LARGE, "\"seed\":7,\"routing\":{\"require_parameters\":true},"));
      runNext(scenario);
      assertThat(client.fault().param()).isEqualTo("seed");
    }
  }

  @Test
  void aTranslatedBodyIsTheProvidersOwn() {
    var catalog = TestCatalog.of(TestCatalog.ofDialect("anthropic", "alpha"));
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient client = scenario.ask(chat(LARGE, "\"max_tokens\":16.0,\"stream\":true,"));
      assertThat(scenario.link(0).received()).contains("\"max_tokens\":16,", "xxxx");
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.chunk(AnthropicWire.start(5) + AnthropicWire.text(0, "Hello"))
                  + OpenAiWire.chunk(AnthropicWire.stop("end_turn", 3))
                  + OpenAiWire.LAST_CHUNK);
      assertThat(client.text()).contains("Hello").endsWith("data: [DONE]\n\n");
    }
  }

  @Test
  void aLargeJobIsReadAndItsImagesDecodedElsewhere() {
    var blobs = new InMemoryBlobs(() -> Scenario.NOW, Duration.ofHours(1));
    var catalog = TestCatalog.of(Modality.VIDEO, TestCatalog.all("alpha"));
    byte[] image = new byte[LARGE];
    System.arraycopy(new byte[] {(byte) 0xff, (byte) 0xd8, (byte) 0xff}, 0, image, 0, 3);
    String body =
        "{\"model\":\"acme/one\",\"prompt\":\"p\",\"input_images\":[\""
            + Base64.getEncoder().encodeToString(image)
            + "\"]}";
    try (var scenario = Scenario.storing(catalog, blobs, 4 << 20)) {
      scenario.offload().hold();
      RecordedClient client = scenario.submit(Endpoint.VIDEO_GENERATIONS, body, "k");
      runNext(scenario);
      assertThat(scenario.offload().held()).as("images to be decoded").isOne();
      runNext(scenario);
      assertThat(client.whole().status()).isEqualTo(202);

      RecordedClient gone = scenario.submit(Endpoint.VIDEO_GENERATIONS, body, "other");
      gone.disconnect(DisconnectReason.ABORTED);
      runNext(scenario);
      RecordedClient refused = scenario.submit(Endpoint.VIDEO_GENERATIONS, body, "third");
      scenario.offload().refuseNext();
      scenario.run();
      assertThat(refused.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      RecordedClient left = scenario.submit(Endpoint.VIDEO_GENERATIONS, body, "fourth");
      runNext(scenario);
      left.disconnect(DisconnectReason.ABORTED);
      runNext(scenario);
      assertThat(blobs.kept()).hasSize(1);
    }
  }
}
