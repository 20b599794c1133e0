package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.ItemizedCost.Line;
import dev.tollgate.core.money.PricedUnit;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.explorer.ArithmeticNote;
import dev.tollgate.server.explorer.ChargeArithmetic;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each kind of charge of the real program, computed again from what the store has of it. */
class ChargeArithmeticIT {
  private static final Pattern REQUEST_ID = Pattern.compile("(?i)x-request-id: *(\\S+)");

  private final GatewayProcess node = SharedNode.node();
  private final StoredCharges charges = StoredCharges.of(node.home());

  @Test
  void aChargeOfEachEndpointIsTheSumOfItsLines() throws Exception {
    String key = SharedNode.key();
    assertUnits(chat("test/chat", false), PricedUnit.PROMPT_TOKEN, PricedUnit.COMPLETION_TOKEN);
    assertUnits(chat("test/chat", true), PricedUnit.PROMPT_TOKEN, PricedUnit.COMPLETION_TOKEN);
    assertUnits(EmbeddingRequests.ask("test/embedding", key), PricedUnit.PROMPT_TOKEN);
    assertUnits(ImageRequests.generate("test/image", ",\"n\":2", key), PricedUnit.IMAGE);
    assertUnits(AudioRequests.speech("test/speech", key), PricedUnit.CHARACTER);
    assertUnits(AudioRequests.transcribe("test/whisper", key), PricedUnit.AUDIO_MICROSECOND);
  }

  private void assertUnits(RawResponse reply, PricedUnit... units) throws Exception {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    ChargeArithmetic computed = charges.await(Objects.requireNonNull(reply.header("x-request-id")));
    assertThat(computed.matches()).as(computed.toString()).isTrue();
    assertThat(computed.lines()).extracting(Line::unit).contains(units);
    assertThat(computed.pricedAs()).hasSize(1);
    assertThat(computed.rounded().isPositive()).isTrue();
  }

  private RawResponse chat(String model, boolean isStream) {
    return chat(node, model, isStream);
  }

  private static RawResponse chat(GatewayProcess at, String model, boolean isStream) {
    try (RawClient client = at.connect()) {
      return client
          .post(ChatRequests.PATH, ChatRequests.body(model, isStream), SharedNode.authorization())
          .readResponse();
    }
  }

  @Test
  void anEstimateAndABrokenStreamAreNamed() throws Exception {
    assertNotes(chat("test/no-usage", true), ArithmeticNote.ESTIMATED);
    assertNotes(chat("test/cut", true), ArithmeticNote.ESTIMATED, ArithmeticNote.PARTIAL);
  }

  private void assertNotes(RawResponse reply, ArithmeticNote... notes) throws Exception {
    ChargeArithmetic computed = charges.await(Objects.requireNonNull(reply.header("x-request-id")));
    assertThat(computed.matches()).as(computed.toString()).isTrue();
    assertThat(computed.notes()).containsExactlyInAnyOrder(notes);
    assertThat(computed.lines()).isNotEmpty();
  }

  @Test
  void aClientThatLeavesAStreamPaysForItsLines() throws Exception {
    String begun;
    try (RawClient client = node.connect()) {
      client.post(
          ChatRequests.PATH, ChatRequests.body("test/long", true), SharedNode.authorization());
      begun = client.readUntil("\"content\":\"");
      client.reset();
    }
    Matcher id = REQUEST_ID.matcher(begun);
    assertThat(id.find()).as(begun).isTrue();
    ChargeArithmetic computed = charges.await(id.group(1));
    assertThat(computed.matches()).as(computed.toString()).isTrue();
    assertThat(computed.notes()).contains(ArithmeticNote.ABANDONED, ArithmeticNote.ESTIMATED);
  }

  @Test
  void aChargeAboveItsReservationNamesTheOverrun() throws Exception {
    SharedNode.scripted()
        .model(
            "costing",
            (_, to) ->
                to.send(
                    Sse.HEAD
                        + Sse.role()
                        + Sse.text("Hi")
                        + Sse.finish()
                        + Sse.usage(5, 50_000)
                        + Sse.DONE
                        + Sse.END));
    RawResponse reply = chat("scripted/costing", true);
    assertNotes(reply, ArithmeticNote.OVERRUN);
    assertThat(charges.await(Objects.requireNonNull(reply.header("x-request-id"))).lines())
        .extracting(Line::quantity)
        .containsExactly(5L, 50_000L);
  }

  @Test
  void aResumedChargeHasLinesOfBothProviders() throws Exception {
    try (MockProvider mock = MockProvider.start(MockProfile.IMMEDIATE, 0);
        GatewayProcess other = SharedNode.beside(resuming(mock.port()), List.of())) {
      RawResponse reply = chat(other, "resume/cut", true);
      assertThat(reply.status()).isEqualTo(200);
      ChargeArithmetic computed =
          charges.await(Objects.requireNonNull(reply.header("x-request-id")));
      assertThat(computed.matches()).as(computed.toString()).isTrue();
      assertThat(computed.pricedAs()).hasSize(2);
      assertThat(computed.lines()).extracting(Line::part).contains(0, 1);
      assertThat(computed.notes()).isEqualTo(Set.of(ArithmeticNote.ESTIMATED));
    }
  }

  private static ConfigBuilder resuming(int port) {
    Map<String, ?> provider =
        Map.of("type", "openai", "base_url", "http://127.0.0.1:" + port + "/v1");
    return SharedNode.setup()
        .provider("first", provider)
        .provider("second", provider)
        .model(
            "resume/cut",
            Map.of(
                "modality",
                "chat",
                "resume",
                "auto",
                "price",
                ConfigBuilder.PRICE,
                "routes",
                List.of(
                    Map.of(
                        "provider",
                        "first",
                        "model",
                        "fault/cut-fin:5?seed=5&chunks=12",
                        "priority",
                        1),
                    Map.of(
                        "provider",
                        "second",
                        "model",
                        "mock-chat?seed=5&chunks=12",
                        "priority",
                        2))));
  }
}
