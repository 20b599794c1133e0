package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatStream;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.testkit.ReplayTable;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of Bedrock's recorded chats as chat completions, and of its vectors. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class BedrockReplayTest {
  private static final Dialect DIALECT = Dialects.named("bedrock");

  static List<WireCase> converse() {
    return WireCase.family("bedrock-converse").stream().filter(WireCase::isStream).toList();
  }

  /** Streams of the older API, whose frames contain the events of the model's vendor. */
  static List<WireCase> invoked() {
    return WireCase.family("bedrock-invoke").stream()
        .filter(one -> one.isStream() && !one.name().contains("invoke-stream-other"))
        .toList();
  }

  static List<WireCase> streams() {
    return Stream.concat(converse().stream(), invoked().stream()).toList();
  }

  static List<WireCase> replies() {
    return Stream.of("bedrock-converse", "bedrock-invoke")
        .flatMap(family -> WireCase.family(family).stream())
        .filter(one -> !one.isStream() && !one.name().contains("embed"))
        .toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(converse()).hasSize(12);
    assertThat(invoked()).hasSize(3);
    assertThat(replies()).hasSize(9);
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    Optional<? extends ReplyTranslation> translation =
        one.name().contains("converse") ? DIALECT.translation() : Optional.of(unwrapping(one));
    return RelayedStream.of(
        one.response(),
        cut,
        new ChatStream(Samples.stamp()),
        WireExpectation.prices(one),
        translation,
        StreamFraming.FRAMES);
  }

  /** Extracts the vendor's events from the frames. */
  private static ReplyTranslation unwrapping(WireCase one) {
    boolean claude = one.name().contains("anthropic");
    Dialect inside = claude ? Dialects.named("anthropic") : DIALECT;
    return new ReplyTranslation() {
      @Override
      public SseSink stream(SseSink canonical) {
        return new Unwrapped(inside.translation().orElseThrow().stream(canonical), claude);
      }

      @Override
      public TranslatedReply reply(byte[] body, int length) {
        return inside.translation().orElseThrow().reply(body, length);
      }
    };
  }

  private record Unwrapped(SseSink inside, boolean claude) implements SseSink {
    @Override
    public void event(String name, byte[] data, int from, int to) {
      if (!name.equals("chunk")) {
        inside.event(name, data, from, to);
        return;
      }
      JsonNode frame = ClientView.tree(new String(data, from, to - from, UTF_8));
      byte[] event = Base64.getDecoder().decode(frame.path("bytes").asText());
      if (claude) {
        inside.event("message", event, 0, event.length);
        return;
      }
      for (Map.Entry<String, JsonNode> member :
          ClientView.tree(new String(event, UTF_8)).properties()) {
        byte[] json = member.getValue().toString().getBytes(UTF_8);
        inside.event(member.getKey(), json, 0, json.length);
      }
    }

    @Override
    public void comment() {
      inside.comment();
    }

    @Override
    public void oversized(int eventBytesMax) {
      inside.oversized(eventBytesMax);
    }
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(relayed.chat().badEvents()).isZero();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    if (one.expect().has("error_in_stream")) {
      assertThat(view.text()).isEqualTo(one.expectedChoice().path("text").asText());
      assertThat(relayed.endStep()).contains(ReplyEventStream.Step.ERROR);
      var failure = DIALECT.failureInside(relayed.error(), 0, relayed.error().length);
      assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
      assertThat(failure.providerCode()).isEqualTo("modelStreamErrorException");
      assertThat(failure.message())
          .isEqualTo(one.expect().at("/error_in_stream/body/message").asText());
    } else if (one.name().contains("truncated")) {
      assertThat(view.text()).isEqualTo("cedar"); // the complete frames
      assertThat(relayed.isComplete()).isFalse();
    } else {
      assertThat(relayed.isComplete()).isTrue();
      WireExpectation.assertChoice(one, withNoArguments(one, view));
      WireExpectation.assertCharge(
          one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
    }
  }

  /** A call without arguments has {@code {}} in the output and an empty text in the recording. */
  private static ClientView withNoArguments(WireCase one, ClientView view) {
    JsonNode expected = one.expectedChoice().path("tool_calls");
    for (int i = 0; i < Math.min(expected.size(), view.calls().size()); i++) {
      StringBuilder arguments = view.calls().get(i).arguments;
      if (expected.get(i).path("arguments").asText().isEmpty()) {
        assertThat(arguments).hasToString("{}");
        arguments.setLength(0);
      }
    }
    return view;
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    Replays.assertSameForAllCuts(one, cut -> relayed(one, cut));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    Dialect inside =
        one.name().contains("invoke-anthropic") ? Dialects.named("anthropic") : DIALECT;
    Replays.Written written = Replays.written(one, inside.translation().orElseThrow());
    Replays.assertChoice(one, written.choice());
    WireExpectation.assertCharge(
        one, written.usage(), written.cost(), written.json().path("usage"));
  }

  /** Encrypted reasoning has Anthropic's own form in the output: encoded once, not twice. */
  @Test
  void encryptedReasoningCanBeSentBack() {
    WireCase one =
        converse().stream().filter(c -> c.name().contains("redacted")).findFirst().orElseThrow();
    List<JsonNode> details = new ArrayList<>();
    for (JsonNode chunk : relayed(one, Cut.WHOLE).view().chunks()) {
      chunk.at("/choices/0/delta/reasoning_details").forEach(details::add);
    }
    assertThat(details).hasSize(2);
    assertThat(details.get(0).path("type").asText()).isEqualTo("reasoning.encrypted");
    assertThat(details.get(0).path("data").asText()).startsWith("EtkE");
    assertThat(details.get(0).path("index").asInt()).isZero();
    assertThat(details.get(1).path("data").asText()).startsWith("EqAD");
    assertThat(details.get(1).path("index").asInt()).isEqualTo(1);
  }

  /** Frames of a text model that is not in use any more are decoded, without a translation. */
  @ParameterizedTest
  @MethodSource("framesOfOthers")
  void framesOfOtherModelsAreRead(WireCase one) {
    List<JsonNode> events = new ArrayList<>();
    var decoder =
        StreamFraming.FRAMES.decoder(
            new SseSink() {
              @Override
              public void event(String name, byte[] data, int from, int to) {
                JsonNode frame = ClientView.tree(new String(data, from, to - from, UTF_8));
                byte[] event = Base64.getDecoder().decode(frame.path("bytes").asText());
                events.add(ClientView.tree(new String(event, UTF_8)));
              }

              @Override
              public void comment() {}

              @Override
              public void oversized(int eventBytesMax) {
                throw new AssertionError("no frame of a recording is");
              }
            },
            1 << 20);
    decoder.feed(Unpooled.wrappedBuffer(one.response()));
    assertThat(events).hasSize(one.expect().path("inner_events").asInt());
    assertThat(events.getFirst()).isEqualTo(one.expect().path("first"));
    assertThat(events.getLast()).isEqualTo(one.expect().path("last"));
  }

  static List<WireCase> framesOfOthers() {
    return WireCase.family("bedrock-invoke").stream()
        .filter(one -> one.name().contains("invoke-stream-other"))
        .toList();
  }

  @Test
  void itsVectorsAreListedAsOpenAiDoes() {
    WireCase one =
        WireCase.family("bedrock-invoke").stream()
            .filter(other -> other.name().contains("embed"))
            .findFirst()
            .orElseThrow();
    Replays.Written written = Replays.vectors(one, DIALECT);
    JsonNode sent = ClientView.tree(new String(one.response(), UTF_8));
    assertThat(written.usage().promptTokens()).isEqualTo(sent.path("inputTextTokenCount").asLong());
    JsonNode got = written.json();
    assertThat(got.at("/data/0/embedding")).isEqualTo(sent.path("embedding"));
    assertThat(got.path("data")).hasSize(1);
  }
}
