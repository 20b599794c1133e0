package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.TranslatedReply;
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

/** Every recorded answer of Gemini's, at either host, relayed as a chat completion. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class GeminiReplayTest {
  private static final Dialect DIALECT = Dialects.named("gemini");
  private static final ChatTranslation TRANSLATION = DIALECT.translation().orElseThrow();
  private static final int RANDOM_SPLITS = 5;

  /** A model that calls what it was not given has failed. */
  private static final String UNDECLARED =
      "vertex/quirk-unexpected-tool-call--gemini-3-flash-preview";

  static List<WireCase> all() {
    return WireCase.family("gemini");
  }

  static List<WireCase> streams() {
    return all().stream().filter(one -> one.isStream() || isArray(one)).toList();
  }

  static List<WireCase> replies() {
    return all().stream().filter(one -> !one.isStream() && !isArray(one)).toList();
  }

  /** A stream that was asked for without alt=sse, which we never do: the same events. */
  private static boolean isArray(WireCase one) {
    return one.meta().path("wire").path("framing").asText().equals("json-array");
  }

  /** The stream as it comes over SSE. */
  private static byte[] bytes(WireCase one) {
    if (!isArray(one)) {
      return one.response();
    }
    StringBuilder events = new StringBuilder();
    ClientView.tree(new String(one.response(), UTF_8))
        .forEach(event -> events.append("data: ").append(event).append("\r\n\r\n"));
    return events.toString().getBytes(UTF_8);
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(19);
    assertThat(replies()).hasSize(19);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    assertThat(relayed.chat().badEvents()).isZero();
    JsonNode expected = one.expectedChoice();
    boolean ends = !expected.path("finish").isNull();
    assertThat(relayed.isComplete()).isEqualTo(ends);
    if (!ends) {
      return;
    }
    WireExpectation.assertText(view.text(), expected.path("text"));
    WireExpectation.assertText(view.reasoning(), expected.path("reasoning"));
    assertThat(view.finish()).isEqualTo(WireExpectation.finish(one));
    JsonNode calls = expected.path("tool_calls");
    assertThat(view.calls()).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      ClientView.Call call = view.calls().get(i);
      assertThat(call.name).isEqualTo(calls.get(i).path("name").asText());
      assertSameJson(call.arguments.toString(), calls.get(i).path("arguments"));
      assertThat(call.id).isNotEmpty();
      assertThat(call.type).isNotEmpty();
    }
    assertUsage(one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    String whole = relayed(one, Cut.WHOLE).text();
    assertThat(relayed(one, Cut.BYTES).text()).isEqualTo(whole);
    JsonNode sizes = one.meta().path("network_chunk_sizes");
    assertThat(relayed(one, Cut.recorded(sizes)).text()).isEqualTo(whole);
    for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
      Cut cut = Cut.random(new Random(seed));
      assertThat(relayed(one, cut).text()).as("seed %s", seed).isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @MethodSource("streams")
  void signaturesComeOutWhereGoogleTellsClientsToFindThem(WireCase one) {
    String sent = new String(bytes(one), UTF_8);
    String got = relayed(one, Cut.WHOLE).text();
    assertThat(got.contains("\"extra_content\":{\"google\":{\"thought_signature\":"))
        .isEqualTo(sent.contains("\"thoughtSignature\""));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    TranslatedReply translated = TRANSLATION.reply(one.response(), one.response().length);
    WholeReply.Read read = ChatReply.read(Samples.stamp(), translated.bytes(), translated.length());
    if (one.name().equals(UNDECLARED) || one.expect().has("error_in_stream")) {
      assertThat(read).isInstanceOf(WholeReply.Read.ErrorObject.class);
      return;
    }
    assertThat(read).isInstanceOf(WholeReply.Read.Fine.class);
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseGet(() -> Usage.estimate(1, 1));
    MicroUsd cost = Cost.ofTokens(usage, WireExpectation.prices(one));
    JsonNode got = written(reply, usage, cost);
    assertThat(got.path("object").asText()).isEqualTo("chat.completion");
    JsonNode choice = got.path("choices").path(0);
    assertThat(choice.path("finish_reason").asText()).isEqualTo(WireExpectation.finish(one));
    assertMessage(one, choice.path("message"));
    assertUsage(one, usage, cost, got.path("usage"));
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return RelayedStream.of(bytes(one), cut, Samples.stamp(), WireExpectation.prices(one), DIALECT);
  }

  private static JsonNode written(WholeReply reply, Usage usage, MicroUsd cost) {
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(usage, cost, out);
    return ClientView.tree(out.toString(UTF_8));
  }

  private static void assertSameJson(String arguments, JsonNode expected) {
    assertThat(ClientView.tree(arguments)).isEqualTo(ClientView.tree(expected.asText()));
  }

  private static void assertMessage(WireCase one, JsonNode message) {
    JsonNode expected = one.expectedChoice();
    WireExpectation.assertText(message.path("content").asText(""), expected.path("text"));
    WireExpectation.assertText(
        message.path("reasoning_content").asText(""), expected.path("reasoning"));
    JsonNode calls = expected.path("tool_calls");
    assertThat(message.path("tool_calls")).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      JsonNode call = message.path("tool_calls").path(i);
      assertThat(call.path("id").asText()).isNotEmpty();
      assertThat(call.path("function").path("name")).isEqualTo(calls.get(i).path("name"));
      assertSameJson(
          call.path("function").path("arguments").asText(), calls.get(i).path("arguments"));
    }
    assertThat(message.path("images")).hasSameSizeAs(expected.path("inline_data"));
    for (JsonNode image : message.path("images")) {
      assertThat(image.path("image_url").path("url").asText()).startsWith("data:image/");
    }
  }

  private static void assertUsage(WireCase one, Usage charged, MicroUsd cost, JsonNode shown) {
    WireExpectation.assertCharge(one, charged, cost, shown);
    JsonNode expected = one.expect().path("usage");
    assertThat(charged.reasoningTokens()).isEqualTo(expected.path("reasoning_tokens").longValue());
  }
}
