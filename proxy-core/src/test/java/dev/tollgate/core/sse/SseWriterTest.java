package dev.tollgate.core.sse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Written events are decoded by the gateway's decoder, and by any other. */
class SseWriterTest {
  @Test
  void eventsAndCommentsAreWritten() {
    assertThat(
            written(
                out -> {
                  SseWriter.data(out, JsonBytes.raw("{\"a\":1}"));
                  SseWriter.ping(out);
                  SseWriter.done(out);
                }))
        .isEqualTo("data: {\"a\":1}\n\n: ping\n\ndata: [DONE]\n\n");
  }

  @Test
  void lineBreaksBetweenTokensBecomeSpaces() throws InvalidJson {
    byte[] chunk = "{\"a\":\n1,\r\n\"b\":\"\\n\"}".getBytes(StandardCharsets.UTF_8);
    JsonMembers members = JsonMembers.of(chunk, 0, chunk.length);
    JsonSplice splice = JsonSplice.of(members).insertLast("c", JsonBytes.NULL);
    assertThat(written(out -> SseWriter.data(out, splice)))
        .isEqualTo("data: {\"a\": 1,  \"b\":\"\\n\",\"c\":null}\n\n");
  }

  @Test
  void onlyTheNewEventIsTouched() {
    assertThat(
            written(
                out -> {
                  SseWriter.ping(out);
                  SseWriter.data(out, "x{\n}x".getBytes(StandardCharsets.UTF_8), 1, 4);
                }))
        .isEqualTo(": ping\n\ndata: { }\n\n");
  }

  private static String written(Consumer<ByteBuf> writing) {
    ByteBuf out = Unpooled.buffer();
    writing.accept(out);
    return out.toString(StandardCharsets.UTF_8);
  }
}
