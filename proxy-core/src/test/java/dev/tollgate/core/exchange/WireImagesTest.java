package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.LosslessRelayCheck;
import dev.tollgate.core.api.WireCase;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded call for images, answered as if it came now, however its reply is cut. */
@Tag("corpus")
class WireImagesTest {
  private static final PriceList PRICES =
      new PriceList(
          TokenPrices.ZERO,
          List.of(),
          0,
          0,
          0,
          List.of(new ImagePrice(Optional.empty(), Optional.empty(), 40_000_000_000L)),
          0,
          0);

  static List<WireCase> cases() {
    return Stream.concat(
            WireCase.family("openai-images").stream(),
            WireCase.family("other").stream()
                .filter(one -> one.name().equals("openrouter/images--gemini-3-1-flash-lite-image")))
        .toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(cases()).hasSize(7);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void itArrivesAndCostsTheSameHoweverItIsCut(WireCase one) {
    byte[] body = one.response();
    replay(one, body.length);
    replay(one, Math.max(1, body.length / 2_000));
    replay(one, 0);
  }

  @Test
  void aRecordedFormIsTakenAndLeavesAsItCame() {
    WireCase one =
        cases().stream().filter(it -> it.name().startsWith("openai/images-edit")).findFirst().get();
    String form = new String(one.request(), ISO_8859_1);
    String boundary = form.substring(2, form.indexOf("\r\n"));
    String ours = form.replace(boundary, "b").replace("\ndall-e-2\r", "\nacme/one\r");
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_EDITS, ours.getBytes(ISO_8859_1));
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1/images/edits HTTP/1.1\r\n")
          .contains("\r\ncontent-type: multipart/form-data; boundary=b\r\n");
      String sent = scenario.link(0).received();
      assertThat(sent.substring(sent.indexOf("\r\n\r\n") + 4).length())
          .isEqualTo(ours.length() + "one-at-alpha".length() - "acme/one".length());
      send(one, scenario.link(0), 7);
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("40000");
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  private static Scenario scenario() {
    var alpha = TestCatalog.with(TestCatalog.provider("alpha"), 1 << 20);
    return Scenario.of(TestCatalog.of(Modality.IMAGE, PRICES, alpha));
  }

  /** Replays the recording in pieces of a fixed or a random size. */
  private static void replay(WireCase one, int pieceBytes) {
    try (var scenario = scenario()) {
      RecordedClient client =
          scenario.ask(Endpoint.IMAGE_GENERATIONS, "{\"model\":\"acme/one\",\"prompt\":\"p\"}");
      send(one, scenario.link(0), pieceBytes);
      JsonNode got = ClientView.tree(client.whole().body());
      JsonNode sent = ClientView.tree(new String(one.response(), UTF_8));
      assertThat(LosslessRelayCheck.kept(sent, got)).isEmpty();
      assertThat(got.path("data")).isEqualTo(sent.path("data"));
      assertThat(got.path("provider").asText()).isEqualTo("alpha");
      assertThat(got.path("created").longValue()).isPositive();
      assertThat(got.at("/usage/images").intValue()).isOne();
      assertThat(got.at("/usage/x_llm_cost_micro").intValue()).isEqualTo(40_000);
      assertThat(scenario.served().cost().value()).isEqualTo(40_000);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  private static void send(WireCase one, ProviderLink provider, int pieceBytes) {
    byte[] body = one.response();
    provider.send(
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(one.meta().at("/response/headers/content-type").asText(), body.length));
    var random = new Random(7);
    for (int from = 0; from < body.length; ) {
      int piece = pieceBytes == 0 ? 1 + random.nextInt(1 + body.length / 50) : pieceBytes;
      int to = Math.min(body.length, from + piece);
      provider.send(body, from, to);
      from = to;
    }
  }
}
