package dev.tollgate.core.sse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A list of events is decoded alike from all of its notations. */
class SseEncodingsTest {
  private static final String[] TEXTS = {
    "{\"a\":1}",
    "[DONE]",
    "",
    "中文テキスト한국어",
    "\uD83C\uDF0D\uD83D\uDC69\u200D\uD83D\uDCBB",
    "a\nb",
    "\n",
    " lead",
    "data: x",
    "{\"s\":\"\\n\\n\"}",
    "y".repeat(300)
  };
  private static final String[] NOISE = {"", ": ping", ":", "id: 3", "retry: 10", "unknown", "dat"};

  @Test
  void everyEncodingIsDecodedAlikeForEverySplit() {
    List<String> events =
        List.of(
            "message|{\"a\":1}",
            "message|中文\uD83D\uDE00",
            "ping|a\nb",
            "message|",
            "message|[DONE]");
    for (String end : new String[] {"\n", "\r\n", "\r"}) {
      for (String colon : new String[] {":", ": "}) {
        for (String mark : new String[] {"", "\uFEFF"}) {
          StringBuilder stream = new StringBuilder(mark);
          events.forEach(event -> write(stream, event, colon, () -> end, ""));
          assertThat(StreamSplits.decode(stream.toString()).events()).isEqualTo(events);
        }
      }
    }
  }

  @Test
  void asianTextFedByteByByteIsNotChanged() {
    String text = "{\"content\":\"中文テキスト한국어\uD83D\uDE00\uD83D\uDC69\u200D\uD83D\uDCBBé\"}";
    byte[] stream = ("data: " + text + "\n\n").repeat(20).getBytes(StandardCharsets.UTF_8);
    RecordedEvents recorded = StreamSplits.decode(stream, 1, true);
    assertThat(recorded.events()).hasSize(20).containsOnly("message|" + text);
  }

  @Test
  void randomStreamsAreDecodedWholeForRandomSplits() {
    Seeds.forEach(
        random -> {
          List<String> events = new ArrayList<>();
          StringBuilder stream = new StringBuilder(random.nextInt(4) == 0 ? "\uFEFF" : "");
          for (int i = random.nextInt(12); i >= 0; i--) {
            String name = random.nextInt(4) == 0 ? "ping" : "message";
            String event = name + "|" + TEXTS[random.nextInt(TEXTS.length)];
            events.add(event);
            write(
                stream,
                event,
                random.nextBoolean() ? ": " : ":",
                () -> new String[] {"\n", "\r\n", "\r"}[random.nextInt(3)],
                NOISE[random.nextInt(NOISE.length)]);
          }
          assertThat(decodedAtRandomCuts(random, stream.toString())).isEqualTo(events);
        });
  }

  private static List<String> decodedAtRandomCuts(Random random, String stream) {
    byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
    RecordedEvents recorded = new RecordedEvents();
    SseDecoder decoder = new SseDecoder(recorded, 1_000);
    int piecesMax = 1 + random.nextInt(80);
    int at = 0;
    while (at < bytes.length) {
      int to = Math.min(bytes.length, at + random.nextInt(piecesMax + 1));
      ByteBuf in = random.nextBoolean() ? Unpooled.directBuffer() : Unpooled.buffer();
      decoder.feed(in.writeBytes(bytes, at, to - at));
      assertThat(in.release()).isTrue();
      at = to;
    }
    decoder.finish();
    return recorded.events();
  }

  /**
   * Writes an event such as {@code message|data}. A leading space of the text needs the colon's,
   * and an empty line after a CR must not end with LF alone: the two would be one line end.
   */
  private static void write(
      StringBuilder stream, String event, String colon, LineEnd end, String noise) {
    int bar = event.indexOf('|');
    if (!event.startsWith("message|")) {
      line(stream, "event" + colon + event.substring(0, bar), end);
    }
    for (String line : event.substring(bar + 1).split("\n", -1)) {
      line(stream, noise, end);
      line(stream, "data" + (line.startsWith(" ") ? ": " : colon) + line, end);
    }
    String last = end.next();
    stream.append(stream.charAt(stream.length() - 1) == '\r' && last.equals("\n") ? "\r" : last);
  }

  private static void line(StringBuilder stream, String line, LineEnd end) {
    if (!line.isEmpty()) {
      stream.append(line).append(end.next());
    }
  }

  /** Chooses how a line ends. */
  @FunctionalInterface
  private interface LineEnd {
    String next();
  }
}
