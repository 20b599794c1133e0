package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.testkit.ReplayTable;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of all recorded chats of OpenAI-compatible providers. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class WireReplayTest {
  static List<WireCase> chats() {
    return WireCase.family("openai-chat");
  }

  static List<WireCase> streams() {
    return chats().stream().filter(WireCase::isStream).toList();
  }

  static List<WireCase> replies() {
    return chats().stream().filter(one -> !one.isStream()).toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(84);
    assertThat(replies()).hasSize(57);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed =
        RelayedStream.of(one.response(), Cut.WHOLE, Samples.stamp(), WireExpectation.prices(one));
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    if (one.expect().has("error_in_stream")) {
      assertThat(relayed.endStep()).contains(ReplyEventStream.Step.ERROR);
      assertMessage(one, relayed.error());
      return;
    }
    if (one.expect().isMissingNode() || one.expect().isNull()) {
      assertThat(relayed.isComplete()).isFalse();
      return;
    }
    assertThat(relayed.isComplete()).isTrue();
    WireExpectation.assertChoice(one, view);
    assertUsage(one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
    LosslessRelayCheck.inStream(sent(one.response()), view.chunks());
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    Replays.assertSameForAllCuts(one, cut -> RelayedStream.of(one.response(), cut));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    WholeReply.Read read = ChatReply.read(Samples.stamp(), one.response(), one.response().length);
    if (one.expect().has("error_in_stream")) {
      assertThat(read).isInstanceOf(WholeReply.Read.ErrorObject.class);
      assertMessage(one, one.response());
      return;
    }
    Replays.Written written = Replays.written(one, read);
    JsonNode got = written.json();
    JsonNode sent = ClientView.tree(new String(one.response(), StandardCharsets.UTF_8));
    assertThat(got.path("object").asText()).isEqualTo("chat.completion");
    assertThat(got.path("model").asText()).isEqualTo("acme/m1");
    assertThat(got.path("provider").asText()).isEqualTo("acme-eu");
    assertThat(got.path("id").asText()).isNotEmpty();
    assertThat(got.path("created").isIntegralNumber()).isTrue();
    assertThat(got.has("error")).isFalse();
    assertThat(LosslessRelayCheck.kept(sent, got)).isEmpty();
    assertThat(got.path("choices")).hasSameSizeAs(sent.path("choices"));
    assertThat(got.path("choices").path(0).path("finish_reason").asText())
        .isEqualTo(WireExpectation.finish(one));
    assertUsage(one, written.usage(), written.cost(), got.path("usage"));
  }

  private static void assertUsage(WireCase one, Usage charged, MicroUsd cost, JsonNode shown) {
    WireExpectation.assertCharge(one, charged, cost, shown);
    JsonNode expected = one.expect().path("usage");
    assertThat(charged.reasoningTokens()).isEqualTo(expected.path("reasoning_tokens").longValue());
    if (!expected.isObject()) {
      return;
    }
    one.expect()
        .path("usage_native")
        .properties()
        .forEach(
            member ->
                assertThat(shown.get(member.getKey()))
                    .as(member.getKey())
                    .isEqualTo(member.getValue()));
  }

  private static void assertMessage(WireCase one, byte[] error) {
    assertThat(Dialects.named("openai").failureInside(error, 0, error.length).message())
        .isEqualTo(one.expect().path("error_in_stream").path("message").asText());
  }

  /** Returns the chunks of a recording. */
  private static List<JsonNode> sent(byte[] stream) {
    List<JsonNode> chunks = new ArrayList<>();
    SseDecoder decoder =
        new SseDecoder(
            new SseSink() {
              @Override
              public void event(String name, byte[] data, int from, int to) {
                String text = new String(data, from, to - from, StandardCharsets.UTF_8);
                if (!text.equals("[DONE]")) {
                  chunks.add(ClientView.tree(text));
                }
              }

              @Override
              public void comment() {}

              @Override
              public void oversized(int eventBytesMax) {}
            },
            1 << 24);
    decoder.feed(Unpooled.wrappedBuffer(stream));
    decoder.finish();
    return chunks;
  }
}
