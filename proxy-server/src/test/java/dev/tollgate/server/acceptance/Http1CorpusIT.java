package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.FramingRow;
import dev.tollgate.core.testkit.RawClient;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every row of the framing corpus on a raw socket, without and with a key, followed by a valid
 * request: that one is answered only if the row left the connection in sync.
 */
@Tag("corpus")
class Http1CorpusIT {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([2-5]\\d\\d) ");
  private static final String PROBE = "probe-of-the-corpus";
  private static long before;

  @BeforeAll
  static void count() {
    before = SharedNode.node().admin().mock(SharedNode.COUNTED).requests();
  }

  @AfterAll
  static void theProviderSawNothingAndNothingIsLeft() {
    assertThat(SharedNode.node().admin().mock(SharedNode.COUNTED).requests()).isEqualTo(before);
    SharedNode.node().admin().awaitIdle();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.tollgate.core.testkit.FramingRow#all")
  void withoutAKey(FramingRow row) {
    assertVerdict(row, answers(row.bytes()), false);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.tollgate.core.testkit.FramingRow#all")
  void withAKey(FramingRow row) {
    String host = "Host: a\r\n";
    String lines = SharedNode.authorization() + "\r\nContent-Type: application/json\r\n";
    String keyed = row.bytes().replaceFirst(host, Matcher.quoteReplacement(host + lines));
    assertVerdict(row, answers(keyed), true);
  }

  /** Responses: the final statuses before that of the valid request, and all bytes. */
  private record Answers(List<Integer> statuses, boolean inStep, String all) {
    boolean closed() {
      return all.toLowerCase(java.util.Locale.ROOT).contains("connection: close");
    }
  }

  private static Answers answers(String bytes) {
    String probe =
        "GET /v1/models HTTP/1.1\r\nHost: probe\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n"
            .formatted(PROBE);
    try (RawClient client = SharedNode.node().connect()) {
      client.send((bytes + probe).getBytes(ISO_8859_1));
      String all = new String(client.readToEnd(), ISO_8859_1);
      List<Integer> statuses = new ArrayList<>();
      Matcher matcher = STATUS.matcher(all);
      while (matcher.find()) {
        statuses.add(Integer.parseInt(matcher.group(1)));
      }
      boolean inStep = all.contains(PROBE);
      return new Answers(inStep ? statuses.subList(0, statuses.size() - 1) : statuses, inStep, all);
    }
  }

  private static void assertVerdict(FramingRow row, Answers answers, boolean keyed) {
    switch (row.verdict()) {
      case "reject" -> {
        assertClosed(answers);
        assertThat(answers.statuses.getFirst()).as(answers.all).isBetween(400, 499);
      }
      case "400", "404", "413" -> assertStatus(Integer.parseInt(row.verdict()), answers, keyed);
      case "ok1", "drop" -> assertParsed(1, answers);
      case "ok2" -> assertParsed(2, answers);
      case "close", "incomplete" -> assertThat(answers.inStep).as(answers.all).isFalse();
      case "either" -> assertThat(answers.statuses).allMatch(status -> status < 500);
      default -> throw new AssertionError("unknown verdict " + row.verdict());
    }
  }

  /** If the body is not read, 401 and 415 are valid too, if the connection closes. */
  private static void assertStatus(int status, Answers answers, boolean keyed) {
    assertThat(answers.statuses).as(answers.all).hasSize(1);
    int got = answers.statuses.getFirst();
    if (keyed) {
      assertThat(got).as(answers.all).isEqualTo(status);
    } else {
      assertThat(got).as(answers.all).isIn(status, 401, 415);
    }
    if (got != 404 || !answers.inStep) {
      assertThat(answers.closed()).as(answers.all).isTrue();
    }
  }

  private static void assertClosed(Answers answers) {
    assertThat(answers.statuses).as(answers.all).hasSize(1);
    assertThat(answers.inStep).as(answers.all).isFalse();
    assertThat(answers.closed()).as(answers.all).isTrue();
  }

  /** This many requests, of any outcome; fewer only if an early refusal closed the connection. */
  private static void assertParsed(int count, Answers answers) {
    assertThat(answers.statuses).as(answers.all).hasSizeBetween(1, count);
    if (answers.statuses.size() < count || !answers.inStep) {
      assertThat(answers.closed()).as(answers.all).isTrue();
      assertThat(answers.inStep).as(answers.all).isFalse();
    }
  }
}
