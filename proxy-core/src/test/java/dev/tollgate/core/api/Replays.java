package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.api.embedding.EmbeddingReply;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import java.util.function.Function;

/** Steps that the replays of all dialects' recordings share. */
final class Replays {
  private static final int RANDOM_SPLITS = 5;

  private Replays() {}

  /** A whole reply as the client gets it. */
  record Written(Usage usage, MicroUsd cost, JsonNode json) {
    JsonNode choice() {
      return json.path("choices").path(0);
    }
  }

  static RelayedStream relayed(WireCase one, Cut cut, Dialect dialect) {
    return RelayedStream.of(
        one.response(), cut, Samples.stamp(), WireExpectation.prices(one), dialect);
  }

  /** Checks that the client's stream does not depend on how the provider's is cut into reads. */
  static void assertSameForAllCuts(WireCase one, Function<Cut, RelayedStream> relayed) {
    String whole = relayed.apply(Cut.WHOLE).text();
    assertThat(relayed.apply(Cut.BYTES).text()).isEqualTo(whole);
    JsonNode sizes = one.meta().path("network_chunk_sizes");
    assertThat(relayed.apply(Cut.recorded(sizes)).text()).isEqualTo(whole);
    for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
      Cut cut = Cut.random(new Random(seed));
      assertThat(relayed.apply(cut).text()).as("seed %s", seed).isEqualTo(whole);
    }
  }

  static WholeReply.Read read(WireCase one, ReplyTranslation translation) {
    TranslatedReply translated = translation.reply(one.response(), one.response().length);
    return ChatReply.read(Samples.stamp(), translated.bytes(), translated.length());
  }

  static Written written(WireCase one, ReplyTranslation translation) {
    return written(one, read(one, translation));
  }

  static Written written(WireCase one, WholeReply.Read read) {
    assertThat(read).isInstanceOf(WholeReply.Read.Fine.class);
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseGet(() -> Usage.estimate(1, 1));
    MicroUsd cost = Cost.ofTokens(usage, WireExpectation.prices(one));
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(usage, cost, out);
    return new Written(usage, cost, ClientView.tree(out.toString(UTF_8)));
  }

  /** Returns a dialect's recorded vectors as the client gets them. */
  static Written vectors(WireCase one, Dialect dialect) {
    TranslatedReply translated =
        dialect.embeddings().orElseThrow().reply(one.response(), one.response().length);
    return written(
        one, EmbeddingReply.read(Samples.stamp(), translated.bytes(), translated.length()));
  }

  /** Checks finish, texts and tool calls of a whole reply. */
  static void assertChoice(WireCase one, JsonNode choice) {
    JsonNode expected = one.expectedChoice();
    JsonNode message = choice.path("message");
    assertThat(choice.path("finish_reason").asText()).isEqualTo(WireExpectation.finish(one));
    WireExpectation.assertText(message.path("content").asText(""), expected.path("text"));
    WireExpectation.assertText(
        message.path("reasoning_content").asText(""), expected.path("reasoning"));
    JsonNode calls = message.path("tool_calls");
    assertThat(calls).hasSameSizeAs(expected.path("tool_calls"));
    for (int i = 0; i < calls.size(); i++) {
      JsonNode call = expected.path("tool_calls").get(i);
      JsonNode function = calls.get(i).path("function");
      if (call.has("id")) {
        assertThat(calls.get(i).path("id")).isEqualTo(call.path("id"));
      } else {
        assertThat(calls.get(i).path("id").asText()).isNotEmpty();
      }
      assertThat(function.path("name")).isEqualTo(call.path("name"));
      assertThat(ClientView.tree(function.path("arguments").asText()))
          .isEqualTo(ClientView.tree(call.path("arguments").asText()));
    }
  }
}
