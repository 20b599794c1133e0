package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the framing corpus, cut in every way, at the decoder alone. */
final class Http1CorpusTest {
  private static final Pattern ESCAPE =
      Pattern.compile("\\\\([rnt\\\\])|\\\\x([0-9a-f]{2})|\\{\\{(.)\\*(\\d+)}}");

  record Row(String id, String verdict, String bytes) {
    @Override
    public String toString() {
      return id;
    }
  }

  static Stream<Row> rows() {
    return Corpora.rows("data/http1.tsv").stream()
        .map(cells -> new Row(cells[0], cells[2], unescape(cells[4])));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void verdict(Row row) {
    Random random = new Random(row.id.hashCode());
    List<String> transcript = Cuts.sameForAll(row.bytes, random, RequestTranscript::of);
    switch (row.id) {
      // Others judge the body's size, the credentials and the path: here each is one request.
      case "cl-too-big" -> assertThat(transcript.getFirst()).contains("Fixed[bytes=10485761]");
      case "h-auth-comma", "rl-pct-slash" -> assertRequests(transcript, 1);
      default -> assertVerdict(row.verdict, transcript);
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

  private static String unescape(String text) {
    return ESCAPE.matcher(text).replaceAll(match -> Matcher.quoteReplacement(meaning(match)));
  }

  private static String meaning(MatchResult match) {
    if (match.group(2) != null) {
      return String.valueOf((char) Integer.parseInt(match.group(2), 16));
    }
    if (match.group(3) != null) {
      return match.group(3).repeat(Integer.parseInt(match.group(4)));
    }
    return switch (match.group(1)) {
      case "r" -> "\r";
      case "n" -> "\n";
      case "t" -> "\t";
      default -> "\\";
    };
  }
}
