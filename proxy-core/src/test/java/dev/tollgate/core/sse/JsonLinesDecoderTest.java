package dev.tollgate.core.sse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines of JSON are events for all splits, with or without a last line end. */
class JsonLinesDecoderTest {
  private static List<String> read(String text, int... cuts) {
    List<String> events = new ArrayList<>();
    var lines =
        new JsonLinesDecoder(
            new SseSink() {
              @Override
              public void event(String name, byte[] data, int from, int to) {
                events.add(new String(data, from, to - from, UTF_8));
              }

              @Override
              public void comment() {
                events.add("comment");
              }

              @Override
              public void oversized(int eventBytesMax) {
                events.add("oversized");
              }
            },
            64);
    byte[] bytes = text.getBytes(UTF_8);
    int at = 0;
    for (int i = 0; at < bytes.length; i++) {
      int length = Math.min(cuts[i % cuts.length], bytes.length - at);
      lines.feed(Unpooled.wrappedBuffer(bytes, at, length));
      at += length;
    }
    lines.finish();
    return events;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":1}~{\"b\":\"é\"}~ | {\"a\":1}^{\"b\":\"é\"}",
        "{\"a\":1}~{\"b\":2} | {\"a\":1}^{\"b\":2}",
        "~~{\"a\":1}#~#~{\"b\":2}#~ | {\"a\":1}^{\"b\":2}",
        ": no comment~data: x~ | : no comment^data: x"
      })
  void eachLineIsAnEvent(String text, String events) {
    String lines = text.replace('~', '\n').replace('#', '\r');
    List<String> expected = List.of(events.split("\\^"));
    assertThat(read(lines, 1 << 10)).isEqualTo(expected);
    assertThat(read(lines, 1)).isEqualTo(expected);
    for (int seed = 0; seed < 20; seed++) {
      assertThat(read(lines, new Random(seed).ints(9, 1, 7).toArray())).isEqualTo(expected);
    }
  }

  @Test
  void aLineThatIsTooLongEndsTheStream() {
    assertThat(read("{\"a\":1}\n" + "x".repeat(100) + "\n{}\n", 7))
        .containsExactly("{\"a\":1}", "oversized");
  }
}
