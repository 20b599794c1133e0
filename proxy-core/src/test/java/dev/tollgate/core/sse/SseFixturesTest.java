package dev.tollgate.core.sse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.testkit.Corpora;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Recorded streams of all providers: decoded alike for all splits, and spliced unchanged. */
@Tag("corpus")
class SseFixturesTest {
  @Test
  void recordedStreamsAreDecodedAlikeInReadsOfAnySize() throws IOException {
    for (Path file : streams()) {
      byte[] stream = Corpora.bytes(file);
      List<String> whole = StreamSplits.decode(stream, stream.length, false).events();
      for (int read : new int[] {1, 13, 1_448}) {
        assertThat(StreamSplits.decode(stream, read, false).events())
            .as(file.toString())
            .isEqualTo(whole);
      }
    }
  }

  @Test
  void recordedChunksAreSplicedUnchanged() throws IOException {
    int chunks = 0;
    for (Path file : streams()) {
      byte[] stream = Corpora.bytes(file);
      for (String event : StreamSplits.decode(stream, stream.length, false).events()) {
        chunks += splicedUnchanged(event.substring(event.indexOf('|') + 1)) ? 1 : 0;
      }
    }
    assertThat(chunks).isGreaterThan(4_000);
  }

  /** Returns false for data that is not JSON: terminators and broken recordings. */
  private static boolean splicedUnchanged(String data) {
    byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
    try {
      JsonMembers members = JsonMembers.of(bytes, 0, bytes.length);
      ByteBuf out = Unpooled.buffer();
      JsonSplice.of(members).writeTo(out);
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(data.strip());
      return true;
    } catch (InvalidJson e) {
      return false;
    }
  }

  private static List<Path> streams() throws IOException {
    try (Stream<Path> all = Files.walk(Corpora.path("wire/fixtures"))) {
      List<Path> streams = all.filter(file -> file.toString().endsWith(".sse")).sorted().toList();
      assertThat(streams).isNotEmpty();
      return streams;
    }
  }
}
