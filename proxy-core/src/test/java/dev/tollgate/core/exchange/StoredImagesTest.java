package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.testkit.InMemoryBlobs;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that asks for image URLs gets those of stored images, or the images themselves. */
class StoredImagesTest {
  private static final String ASK = "{\"model\":\"acme/one\",\"prompt\":\"A gate.\"}";
  private static final long BUDGET = 1 << 20;

  private final InMemoryBlobs blobs = new InMemoryBlobs(() -> Scenario.NOW, Duration.ofHours(1));
  private final Held held = new Held(blobs);

  /** A store that answers when the test says. */
  private static final class Held implements BlobStore {
    private final InMemoryBlobs inner;
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean holds;
    private boolean hangs;
    private boolean breaks;
    private int asked;

    Held(InMemoryBlobs inner) {
      this.inner = inner;
    }

    @Override
    public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
      asked++;
      if (hangs) {
        waiting.add(() -> blob.bytes().release());
        loop.execute(
            () ->
                whenDone.accept(new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, "told to")));
      } else if (holds) {
        waiting.add(() -> inner.store(blob, loop, whenDone));
      } else {
        inner.store(blob, loop, whenDone);
      }
    }

    void answer() {
      List<Runnable> all = List.copyOf(waiting);
      waiting.clear();
      all.forEach(Runnable::run);
    }

    @Override
    public SignedUrl url(BlobName name) {
      if (breaks) {
        throw new IllegalStateException("a fault of the gateway's own");
      }
      return inner.url(name);
    }

    @Override
    public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
      inner.delete(name, loop, whenDone);
    }
  }

  private static Catalog catalog(String upstreamModel) {
    Model one =
        TestCatalog.of(Modality.IMAGE, TestCatalog.provider("alpha")).models().iterator().next();
    var route = new Route(one.routes().getFirst().provider(), upstreamModel, 1, 1);
    Model model =
        new Model(
            one.id(),
            one.modality(),
            one.name(),
            one.description(),
            one.created(),
            one.contextLength(),
            one.outputTokensMax(),
            one.outputTokensReserved(),
            one.imageTokensReserved(),
            one.capabilities(),
            one.prices(),
            one.resume(),
            one.stickyPrefix(),
            List.of(route),
            one.durationAssumed());
    return new Catalog(List.of(route.provider()), List.of(model));
  }

  private Scenario storing() {
    return Scenario.storing(catalog("dall-e-3"), held, BUDGET);
  }

  private static String png(int fill) {
    byte[] bytes = new byte[300];
    System.arraycopy(
        new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10, (byte) fill}, 0, bytes, 0, 9);
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String reply(String... items) {
    return OpenAiWire.response(
        200,
        "OK",
        "",
        "{\"created\":7,\"data\":["
            + String.join(",", items)
            + "],\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}");
  }

  private static String image(int fill) {
    return "{\"b64_json\":\"" + png(fill) + "\",\"revised_prompt\":\"A wide gate.\"}";
  }

  @Test
  void whatAStoreThatHangsStillHoldsCountsAgainstTheBudget() {
    held.hangs = true;
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(image(1), image(2)));
      scenario.run();
      assertThat(ClientView.tree(client.whole().body()).at("/data/1/b64_json").asText())
          .isEqualTo(png(2));
      assertThat(held.asked).as("the second is not handed to a store that hangs").isEqualTo(1);
      assertThat(scenario.inflight().held()).isGreaterThanOrEqualTo(300);
      held.answer();
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void whatComesAsBytesIsStoredAndItsAddressIsSigned() {
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      assertThat(scenario.link(0).received())
          .endsWith("\"prompt\":\"A gate.\",\"response_format\":\"b64_json\"}");
      scenario.link(0).send(reply(image(1), image(2)));
      scenario.run();
      var got = ClientView.tree(client.whole().body());
      assertThat(got.path("data")).hasSize(2);
      for (int n = 0; n < 2; n++) {
        var item = got.path("data").get(n);
        assertThat(item.propertyStream().map(java.util.Map.Entry::getKey))
            .containsExactly("url", "revised_prompt");
        byte[] fetched = blobs.fetch(item.path("url").asText()).orElseThrow();
        assertThat(Base64.getEncoder().encodeToString(fetched)).isEqualTo(png(n + 1));
      }
      assertThat(blobs.kept().keySet()).extracting(BlobName::type).containsOnly(BlobType.PNG);
      assertThat(got.at("/usage/images").intValue()).isEqualTo(2);
      assertThat(got.at("/usage/x_llm_cost_micro").intValue()).isEqualTo(5);
      assertThat(scenario.inflight().held()).isZero();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNotStoredIsAnsweredInline(BlobFailure fault) {
    blobs.fail(fault);
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(image(1)));
      assertThat(scenario.run().record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(client.whole().body()).contains("\"data\":[" + image(1) + "]");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"url\":\"https://provider.example/a.png\"}",
        "{\"b64_json\":\"not base64!\"}",
        "{\"b64_json\":\"bm8gaW1hZ2UsIGJ1dCB0ZXh0\"}"
      })
  void whatCannotBeStoredStaysAsItIs(String item) {
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(item, image(2)));
      scenario.run();
      assertThat(client.whole().body())
          .contains("\"data\":[" + item + ",{\"url\":\"https://blobs.test/");
      assertThat(blobs.kept()).hasSize(1);
    }
  }

  @Test
  void escapesInBase64AreRead() {
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      String jpeg = "{\"url\":null,\"b64_json\":\"\\/9j\\/4AAQSkZJRgABAQ==\"}";
      scenario.link(0).send(reply(jpeg));
      scenario.run();
      assertThat(client.whole().body()).containsOnlyOnce("\"url\":");
      assertThat(blobs.kept().keySet()).extracting(BlobName::type).containsExactly(BlobType.JPEG);
    }
  }

  @Test
  void whoWantsTheBytesGetsThem() {
    try (var scenario = storing()) {
      String ask = ASK.replace("}", ",\"response_format\":\"b64_json\"}");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ask);
      assertThat(scenario.link(0).received()).endsWith(ask.replace("acme/one", "dall-e-3"));
      scenario.link(0).send(reply(image(1)));
      assertThat(client.whole().body()).contains(image(1));
      assertThat(blobs.kept()).isEmpty();
    }
  }

  @Test
  void aFormIsAskedForBytesToo() {
    for (String[] fields : new String[][] {{}, {"response_format=url"}}) {
      try (var scenario = storing()) {
        RecordedClient client =
            scenario.ask(Endpoint.IMAGE_EDITS, OpenAiWire.pictures("p", fields));
        assertThat(scenario.link(0).received())
            .containsOnlyOnce("name=\"response_format\"\r\n\r\nb64_json\r\n--b")
            .endsWith("\r\n--b--\r\n");
        scenario.link(0).send(reply(image(1)));
        scenario.run();
        assertThat(client.whole().body()).contains("\"url\":\"https://blobs.test/");
      }
    }
  }

  @Test
  void itCountsInMemoryWhileItIsStoredAndHasNoRoomWithoutThat() {
    held.holds = true;
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      String large = image(1).replace(png(1), png(1).replace("=", "") + "A".repeat(40_000));
      scenario.link(0).send(reply(large));
      assertThat(scenario.run().inflight().held()).isGreaterThan(2L * 40_000);
      assertThat(client.isAnswered()).isFalse();
      held.answer();
      scenario.run();
      assertThat(client.whole().body()).contains("\"url\":\"https://blobs.test/");
      assertThat(scenario.inflight().held()).isZero();
    }
    held.holds = false;
    try (var scenario = Scenario.storing(catalog("dall-e-3"), held, 70_000)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      String large = image(1).replace(png(1), png(1).replace("=", "") + "A".repeat(40_000));
      scenario.link(0).send(reply(large));
      assertThat(scenario.run().record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(client.whole().body()).as("inline").contains(large);
    }
  }

  @Test
  void whoLeavesMeanwhileHasBoughtIt() {
    held.holds = true;
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(image(1)));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.run().records()).isEmpty();
      held.answer();
      scenario.run();
      assertThat(scenario.served().cost().value()).isEqualTo(5);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
    }
  }

  @Test
  void whoLeftBeforeItCameHasNothingStored() {
    try (var scenario = storing()) {
      scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK).disconnect(DisconnectReason.ABORTED);
      scenario.link(0).send(reply(image(1)));
      assertThat(scenario.run().served().cost().value()).isEqualTo(5);
      assertThat(blobs.kept()).isEmpty();
    }
  }

  @Test
  void aNodeThatStopsMeanwhileAnswersWhatWasMade() {
    held.holds = true;
    try (var scenario = storing()) {
      RecordedClient client = scenario.submit(Endpoint.IMAGE_GENERATIONS, ASK, "key");
      scenario.link(0).send(reply(image(1), image(2)));
      held.answer();
      scenario.run();
      client.cutShort(Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "Stopping.").withRetryAfter(1));
      scenario.run();
      assertThat(client.whole().body())
          .contains("\"data\":[{\"url\":\"https://blobs.test/", "}," + image(2) + "]");
      assertThat(scenario.served().cost().value()).isEqualTo(5);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      held.answer(); // a late answer has no request
      scenario.run();
      RecordedClient again = scenario.submit(Endpoint.IMAGE_GENERATIONS, ASK, "key");
      assertThat(again.whole().body()).isEqualTo(client.whole().body());
    }
  }

  @Test
  void aFaultOfOursMeanwhileLosesNothingThatWasMade() {
    held.breaks = true;
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(image(1), image(2)));
      scenario.run();
      assertThat(client.whole().body()).contains("\"data\":[" + image(1) + "," + image(2) + "]");
      assertThat(scenario.served().cost().value()).isEqualTo(5);
    }
  }

  @Test
  void allTogetherWaitNoLongerThanOne() {
    held.holds = true;
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(image(1), image(2), image(3)));
      scenario.passSeconds(15);
      held.answer();
      scenario.passMillis(4_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.whole().body()).contains("}," + image(2) + "," + image(3) + "]");
      assertThat(client.whole().body()).contains("\"url\":\"https://blobs.test/");
      held.answer();
    }
  }

  @Test
  void whatOneWasNotKeptByIsNotAskedForTheOthers() {
    blobs.fail(BlobFailure.TIMED_OUT);
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(image(1), image(2), image(3)));
      scenario.run();
      assertThat(client.whole().body()).contains(image(1) + "," + image(2) + "," + image(3));
      assertThat(held.asked).isEqualTo(1);
    }
  }

  @Test
  void whatGoesOutKeepsThePlaceInMemoryThatTheReplyHad() {
    blobs.fail(BlobFailure.FULL);
    try (var scenario = storing()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      client.holdsBodies(true);
      String large = png(1).replace("=", "") + "A".repeat(80_000);
      AtomicLong least = new AtomicLong(Long.MAX_VALUE);
      scenario
          .buffers()
          .onBuffer(() -> least.accumulateAndGet(scenario.inflight().held(), Math::min));
      scenario.link(0).send(reply(image(1).replace(png(1), large)));
      scenario.run();
      assertThat(least).as("while it is written").hasValueGreaterThan(80_000);
      assertThat(scenario.inflight().held()).isBetween(80_000L, 90_000L);
      client.holdsBodies(false);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpt-image-1.5", "chatgpt-image-latest", "openai/gpt-image-1"})
  void aModelThatKnowsBytesOnlyIsNotAskedForThemAndIsRefusedWithoutAStore(String upstream) {
    try (var scenario = Scenario.storing(catalog(upstream), held, BUDGET)) {
      String ask = ASK.replace("}", ",\"response_format\":\"url\"}");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ask);
      assertThat(scenario.link(0).received()).doesNotContain("response_format");
      scenario.link(0).send(reply(image(1)));
      scenario.run();
      assertThat(client.whole().body()).contains("\"url\":\"https://blobs.test/");
    }
    try (var scenario = Scenario.of(catalog(upstream))) {
      for (String ask :
          List.of(ASK, ASK.replace("}", ",\"routing\":{\"require_parameters\":true}}"))) {
        Fault fault = scenario.ask(Endpoint.IMAGE_GENERATIONS, ask).fault();
        assertThat(fault.code()).isEqualTo(ErrorCode.NOT_CONFIGURED);
        assertThat(fault.shouldRetry()).isFalse();
      }
      Fault edits = scenario.ask(Endpoint.IMAGE_EDITS, OpenAiWire.pictures("p")).fault();
      assertThat(edits.code()).isEqualTo(ErrorCode.NOT_CONFIGURED);
      assertThat(scenario.links()).isZero();
      String bytes = ASK.replace("}", ",\"response_format\":\"b64_json\"}");
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, bytes);
      assertThat(scenario.link(0).received()).doesNotContain("response_format");
      scenario.link(0).send(reply(image(1)));
      assertThat(client.whole().body()).contains(image(1));
    }
  }
}
