package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.api.chat.ChatStream;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.OpenAiQuirks.Reasoning;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.testkit.ReplayTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of all recorded chats of known servers, with the quirks of each server. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class KnownServersReplayTest {
  private static final String THINK_END = "</think>";

  private static final Map<String, KnownServer> BY_FOLDER =
      Arrays.stream(KnownServer.values())
          .collect(
              Collectors.toMap(
                  server ->
                      server == KnownServer.TGI
                          ? "huggingface"
                          : server.name().toLowerCase(Locale.ROOT),
                  server -> server));

  static List<WireCase> chats() {
    return WireCase.family("openai-chat").stream()
        .filter(one -> BY_FOLDER.containsKey(one.provider()))
        .toList();
  }

  static List<WireCase> streams() {
    return chats().stream()
        .filter(WireCase::isStream)
        .filter(one -> one.expect().isObject() && !one.expect().has("error_in_stream"))
        .toList();
  }

  static List<WireCase> replies() {
    return chats().stream().filter(one -> !one.isStream()).toList();
  }

  @Test
  void eachServerHasARecording() {
    assertThat(chats()).hasSize(75);
    assertThat(chats().stream().map(WireCase::provider)).containsAll(BY_FOLDER.keySet());
  }

  private static KnownServer server(WireCase one) {
    return Objects.requireNonNull(BY_FOLDER.get(one.provider()));
  }

  private static Optional<? extends ReplyTranslation> translation(WireCase one) {
    Provider usual = Samples.provider(true);
    KnownServer server = server(one);
    Provider provider =
        new Provider(
            usual.id(),
            usual.dialect(),
            usual.endpoint(),
            usual.basePath(),
            usual.credentials(),
            usual.headers(),
            usual.timeouts(),
            usual.pool(),
            usual.circuit(),
            new Provider.Quirks(true, server.prefill(), server.quirks()),
            usual.onDisconnect(),
            usual.eventBytesMax());
    return Dialects.named("openai").replies(Operation.CHAT, provider);
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return RelayedStream.of(
        one.response(),
        cut,
        new ChatStream(Samples.stamp()),
        WireExpectation.prices(one),
        translation(one),
        StreamFraming.EVENTS);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamTellsItsThoughtsUnderOneName(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    assertThat(relayed.isComplete()).isTrue();
    WireExpectation.assertChoice(one, view);
    WireExpectation.assertCharge(
        one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
    StringBuilder thought = new StringBuilder();
    for (JsonNode chunk : view.chunks()) {
      JsonNode delta = chunk.path("choices").path(0).path("delta");
      thought.append(delta.path("reasoning_content").asText(""));
      assertThat(delta.path("content").isArray()).isFalse();
    }
    WireExpectation.assertText(thought.toString(), one.expectedChoice().path("reasoning"));
    Replays.assertSameForAllCuts(one, cut -> relayed(one, cut));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyTellsItsThoughtsUnderOneName(WireCase one) {
    TranslatedReply moved =
        translation(one)
            .map(found -> found.reply(one.response(), one.response().length))
            .orElse(null);
    WholeReply.Read read =
        moved == null
            ? ChatReply.read(Samples.stamp(), one.response(), one.response().length)
            : ChatReply.read(Samples.stamp(), moved.bytes(), moved.length());
    Replays.Written written = Replays.written(one, read);
    JsonNode got = written.json();
    WireExpectation.assertCharge(one, written.usage(), written.cost(), got.path("usage"));
    JsonNode message = got.path("choices").path(0).path("message");
    String said = message.path("content").asText("");
    String thought = message.path("reasoning_content").asText("");
    Reasoning where = server(one).quirks().reasoning();
    if (where == Reasoning.THINK_TAGS && !thought.isEmpty()) {
      String behind = raw(one).substring(raw(one).indexOf(THINK_END) + THINK_END.length());
      assertThat("<think>" + thought + THINK_END)
          .isEqualTo(raw(one).substring(0, raw(one).length() - behind.length()));
      assertThat(said).isEqualTo(behind.stripLeading());
    } else {
      WireExpectation.assertText(said, one.expectedChoice().path("text"));
      WireExpectation.assertText(thought, one.expectedChoice().path("reasoning"));
    }
  }

  private static String raw(WireCase one) {
    JsonNode sent = ClientView.tree(new String(one.response(), StandardCharsets.UTF_8));
    return sent.path("choices").path(0).path("message").path("content").asText();
  }
}
