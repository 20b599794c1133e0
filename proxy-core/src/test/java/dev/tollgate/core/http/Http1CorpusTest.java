package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.FramingRow;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows of the framing corpus, in all splits, at the decoder alone. */
@Tag("corpus")
final class Http1CorpusTest {

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.tollgate.core.testkit.FramingRow#all")
  void verdict(FramingRow row) {
    Random random = new Random(row.id().hashCode());
    List<String> transcript = ByteSplits.sameForAll(row.bytes(), random, RequestTranscript::of);
    switch (row.id()) {
      // The body's size, the credentials and the path are checked elsewhere: here each row is one
      // request.
      case "cl-too-big" -> assertThat(transcript.getFirst()).contains("Fixed[bytes=10485761]");
      case "h-auth-comma", "rl-pct-slash" -> assertRequests(transcript, 1);
      default -> assertVerdict(row.verdict(), transcript);
    }
  }

  private static void assertVerdict(String verdict, List<String> transcript) {
    switch (verdict) {
      case "reject", "close" -> assertRefused(transcript, "bad 4");
      case "400", "413" -> assertRefused(transcript, "bad " + verdict);
      case "ok1", "drop" -> assertRequests(transcript, 1);
      case "ok2" -> assertRequests(transcript, 2);
      case "incomplete" -> assertRefused(transcript, "event TRUNCATED_REQUEST");
      case "either" -> assertThat(transcript.getLast()).matches("end|bad 4.*");
      default -> throw new AssertionError("unknown verdict " + verdict);
    }
  }

  private static void assertRefused(List<String> transcript, String lastLine) {
    assertThat(transcript.getLast()).startsWith(lastLine);
    assertThat(transcript).doesNotContain("end");
  }

  private static void assertRequests(List<String> transcript, int count) {
    assertThat(transcript.getLast()).isEqualTo("end");
    assertThat(RequestTranscript.requests(transcript)).isEqualTo(count);
  }
}
