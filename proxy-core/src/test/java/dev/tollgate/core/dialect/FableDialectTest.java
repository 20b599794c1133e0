package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.StreamDecoder;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The dialect that the manual adds does what it says. */
class FableDialectTest {
  private static final FableDialect FABLE = FableDialect.INSTANCE;
  private static final ChatTranslation CHATS = FABLE.translation().orElseThrow();

  @Test
  void aChatIsTranslated() throws InvalidJson {
    Model model = TestCatalog.of(TestCatalog.provider("fable")).models().iterator().next();
    byte[] chat =
        """
        {"model":"a/b","messages":[{"role":"user","content":"Hi \\u0041"},
        {"role":"user","content":[]}],"stream":true,"temperature":0.50,"seed":7}"""
            .getBytes(UTF_8);
    TranslatedRequest sent =
        CHATS.chat(JsonMembers.of(chat, 0, chat.length), model.routes().getFirst(), model);
    assertThat(sent.body().toString(UTF_8))
        .isEqualTo(
            "{\"teller\":\"one-at-fable\",\"turns\":[{\"who\":\"user\",\"says\":\"Hi \\u0041\"}],"
                + "\"flow\":true,\"fancy\":0.50}");
    assertThat(sent.dropped()).containsExactly("messages[1]", "seed");
  }

  private static List<String> events(String lines) {
    List<String> events = new ArrayList<>();
    SseSink canonical =
        new SseSink() {
          @Override
          public void event(String name, byte[] data, int from, int to) {
            events.add(name + " " + new String(data, from, to - from, UTF_8));
          }

          @Override
          public void comment() {}

          @Override
          public void oversized(int eventBytesMax) {
            throw new AssertionError("no line of this test is");
          }
        };
    StreamDecoder decoder = FABLE.framing().decoder(CHATS.stream(canonical), 1_000);
    decoder.feed(Unpooled.wrappedBuffer(lines.getBytes(UTF_8)));
    decoder.finish();
    return events;
  }

  @Test
  void itsLinesAreChunks() {
    List<String> events =
        events("{\"word\":\"Once\"}\nno\n{\"end\":1,\"counted\":{\"heard\":5,\"told\":3}}\n");
    assertThat(events).hasSize(4);
    assertThat(events.get(0)).contains("\"delta\":{\"content\":\"Once\"},\"finish_reason\":null");
    assertThat(events.get(1)).isEqualTo("message null");
    assertThat(events.get(2)).contains("\"finish_reason\":\"stop\"", "\"total_tokens\":8");
    assertThat(events.get(3)).isEqualTo("message [DONE]");
  }

  @Test
  void itsErrorsAreErrors() {
    String error = "{\"error\":{\"message\":\"hush\",\"type\":\"rate_limit\"}}";
    assertThat(events(error + "\n")).containsExactly("error " + error);
    byte[] json = error.getBytes(UTF_8);
    assertThat(FABLE.failureInside(json, 0, json.length).kind()).isEqualTo(Kind.RATE_LIMITED);
    assertThat(FABLE.failure(401, Headers.EMPTY, json, json.length).kind())
        .isEqualTo(Kind.CREDENTIAL_REFUSED);
  }

  @Test
  void itsReplyIsACompletion() throws InvalidJson {
    byte[] body = "{\"says\":\"The end.\",\"counted\":{\"heard\":5,\"told\":3}}".getBytes(UTF_8);
    TranslatedReply reply = CHATS.reply(body, body.length);
    String json = new String(reply.bytes(), 0, reply.length(), UTF_8);
    assertThat(JsonMembers.of(reply.bytes(), 0, reply.length()).size()).isEqualTo(3);
    assertThat(json).contains("\"content\":\"The end.\"", "\"total_tokens\":8");
  }
}
