package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.api.embedding.EmbeddingReply;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.ReplayTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded chat of Cohere's, relayed as a chat completion, and its vectors. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class CohereReplayTest {
  private static final Dialect DIALECT = Dialects.named("cohere");

  static List<WireCase> streams() {
    return WireCase.family("cohere-v2-chat").stream().filter(WireCase::isStream).toList();
  }

  static List<WireCase> replies() {
    return WireCase.family("cohere-v2-chat").stream().filter(one -> !one.isStream()).toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(7);
    assertThat(replies()).hasSize(3);
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return RelayedStream.of(
        one.response(), cut, Samples.stamp(), WireExpectation.prices(one), DIALECT);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    assertThat(relayed.chat().badEvents()).isZero();
    JsonNode expected = one.expectedChoice();
    if (expected.path("finish").asText().equals("error")) {
      assertThat(relayed.endStep()).contains(ReplyEventStream.Step.ERROR);
      byte[] error = relayed.error();
      var failure = DIALECT.failureInside(error, 0, error.length);
      assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
      assertThat(failure.message()).startsWith("your request resulted in an invalid tool");
      assertThat(failure.providerCode()).isEqualTo("INVALID_TOOL_GENERATION");
      return;
    }
    assertThat(relayed.isComplete()).isTrue();
    assertThat(view.text()).isEqualTo(expected.path("text").asText());
    String thought = expected.has("tool_plan") ? "tool_plan" : "reasoning";
    assertThat(view.reasoning()).isEqualTo(expected.path(thought).asText(""));
    assertThat(view.finish()).isEqualTo(WireExpectation.finish(one));
    assertThat(view.calls()).hasSameSizeAs(expected.path("tool_calls"));
    for (int i = 0; i < view.calls().size(); i++) {
      JsonNode call = expected.path("tool_calls").get(i);
      String arguments = call.path("arguments").asText();
      assertThat(view.calls().get(i).id).isEqualTo(call.path("id").asText());
      assertThat(view.calls().get(i).name).isEqualTo(call.path("name").asText());
      assertThat(view.calls().get(i).arguments).hasToString(arguments.isEmpty() ? "{}" : arguments);
    }
    WireExpectation.assertCharge(
        one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    String whole = relayed(one, Cut.WHOLE).text();
    assertThat(relayed(one, Cut.BYTES).text()).isEqualTo(whole);
    JsonNode sizes = one.meta().path("network_chunk_sizes");
    assertThat(relayed(one, Cut.recorded(sizes)).text()).isEqualTo(whole);
    for (int seed = 0; seed < 5; seed++) {
      assertThat(relayed(one, Cut.random(new Random(seed))).text()).isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    TranslatedReply translated =
        DIALECT.translation().orElseThrow().reply(one.response(), one.response().length);
    WholeReply.Read read = ChatReply.read(Samples.stamp(), translated.bytes(), translated.length());
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseThrow();
    MicroUsd cost = Cost.ofTokens(usage, WireExpectation.prices(one));
    JsonNode got = written(reply, usage, cost);
    JsonNode choice = got.path("choices").path(0);
    JsonNode expected = one.expectedChoice();
    assertThat(choice.path("finish_reason").asText()).isEqualTo(WireExpectation.finish(one));
    WireExpectation.assertText(
        choice.path("message").path("content").asText(""), expected.path("text"));
    WireExpectation.assertText(
        choice.path("message").path("reasoning_content").asText(""), expected.path("reasoning"));
    JsonNode calls = choice.path("message").path("tool_calls");
    assertThat(calls).hasSameSizeAs(expected.path("tool_calls"));
    for (int i = 0; i < calls.size(); i++) {
      JsonNode call = expected.path("tool_calls").get(i);
      assertThat(calls.get(i).path("id")).isEqualTo(call.path("id"));
      assertThat(calls.get(i).path("function").path("name")).isEqualTo(call.path("name"));
      assertThat(calls.get(i).path("function").path("arguments")).isEqualTo(call.path("arguments"));
    }
    WireExpectation.assertCharge(one, usage, cost, got.path("usage"));
  }

  private static JsonNode written(WholeReply reply, Usage usage, MicroUsd cost) {
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(usage, cost, out);
    return ClientView.tree(out.toString(UTF_8));
  }

  @Test
  void itsVectorsAreListedAsOpenAiDoes() {
    WireCase one =
        WireCase.family("other").stream()
            .filter(other -> other.name().startsWith("cohere/embed--"))
            .findFirst()
            .orElseThrow();
    TranslatedReply translated =
        DIALECT.embeddings().orElseThrow().reply(one.response(), one.response().length);
    WholeReply.Read read =
        EmbeddingReply.read(Samples.stamp(), translated.bytes(), translated.length());
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseThrow();
    assertThat(usage.promptTokens()).isEqualTo(7);
    JsonNode got = written(reply, usage, new MicroUsd(1));
    JsonNode sent = ClientView.tree(new String(one.response(), UTF_8));
    assertThat(got.path("data")).hasSize(1);
    assertThat(got.path("data").path(0).path("index").asInt(-1)).isZero();
    assertThat(got.path("data").path(0).path("embedding"))
        .isEqualTo(sent.path("embeddings").path("float").path(0));
  }
}
