package dev.tollgate.core.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** POST to a client's URL: checked hosts, accepted replies, timeouts. */
class PostTest {
  private static final String URL = "https://good.example/hook?token=t#top";
  private static final byte[] BODY = "{\"ü\":1}".getBytes(UTF_8);

  private static PostResult answered(int status) {
    return new PostResult.Answered(status, Duration.ZERO);
  }

  private static PostResult failed(FetchOutcome outcome) {
    return new PostResult.Failed(outcome);
  }

  @Test
  void theRequestIsWholeInOnePiece() {
    try (var scene = new FetchScenario()) {
      List<PostResult> posted = scene.post(URL, BODY);
      assertThat(scene.link(0).received())
          .isEqualTo(
              """
              POST /hook?token=t HTTP/1.1\r
              host: good.example\r
              x-of-ours: yes\r
              content-length: 8\r
              user-agent: tollgate\r
              connection: close\r
              \r
              """
                  + new String(BODY, ISO_8859_1));
      scene.link(0).send("HTTP/1.1 204 No Content\r\n\r\n");
      scene.run();
      assertThat(posted).containsExactly(answered(204));
      assertThat(scene.connector.addresses()).containsExactly("93.184.216.34");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 299, 300, 400, 404, 410, 429, 500, 503, 599})
  void theStatusIsTheAnswer(int status) {
    try (var scene = new FetchScenario()) {
      List<PostResult> posted = scene.post(URL, BODY);
      scene.link(0).send("HTTP/1.1 " + status + " Yes\r\nContent-Length: 2\r\n\r\nok");
      scene.run();
      assertThat(posted).containsExactly(answered(status));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void aRedirectIsNotFollowed(int status) {
    try (var scene = new FetchScenario()) {
      List<PostResult> posted = scene.post(URL, BODY);
      scene
          .link(0)
          .send("HTTP/1.1 " + status + " Moved\r\nLocation: https://good.example/b\r\n\r\n");
      scene.link(0).fin();
      scene.run();
      assertThat(posted).containsExactly(answered(status));
      assertThat(scene.links()).isOne();
    }
  }

  @Test
  void theAnswerMayComeInAnyPieces() {
    byte[] answer =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 3\r\n\r\nyes"
            .getBytes(UTF_8);
    Seeds.forEach(
        5,
        random -> {
          try (var scene = new FetchScenario()) {
            List<PostResult> posted = scene.post(URL, BODY);
            boolean single = random.nextInt(3) == 0;
            for (int at = 0; at < answer.length; ) {
              assertThat(posted).isEmpty();
              int to = Math.min(answer.length, at + (single ? 1 : 1 + random.nextInt(40)));
              scene.link(0).send(answer, at, to);
              scene.run();
              at = to;
            }
            assertThat(posted).containsExactly(answered(202));
          }
        });
  }

  @Test
  void ofAnAnswerWithoutEndFourKilobytesAreRead() {
    try (var scene = new FetchScenario()) {
      List<PostResult> posted = scene.post(URL, BODY);
      scene.link(0).send("HTTP/1.1 200 OK\r\n\r\n");
      scene.link(0).send(new byte[Post.REPLY_BYTES_MAX]);
      scene.run();
      assertThat(posted).isEmpty();
      scene.link(0).send(new byte[1]);
      scene.run();
      assertThat(posted).containsExactly(answered(200));
      assertThat(scene.link(0).isOpen()).isFalse();
    }
  }

  @Test
  void aStatusCountsHoweverTheReplyContinues() {
    for (String end : List.of("fin", "reset", "silence")) {
      try (var scene = new FetchScenario()) {
        List<PostResult> posted = scene.post(URL, BODY);
        ProviderLink link = scene.link(0);
        link.send("HTTP/1.1 410 Gone\r\nContent-Length: 9\r\n\r\nno");
        scene.run();
        switch (end) {
          case "fin" -> link.fin();
          case "reset" -> link.reset();
          default -> scene.passSeconds(10);
        }
        scene.run();
        assertThat(posted).as(end).containsExactly(answered(410));
      }
    }
  }

  @Test
  void anAnswerThatBreaksOffBeforeItsStatusIsNone() {
    byte[] head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(UTF_8);
    for (int at = 0; at < head.length; at++) {
      try (var scene = new FetchScenario()) {
        List<PostResult> posted = scene.post(URL, BODY);
        scene.link(0).send(head, 0, at);
        if (at % 2 == 0) {
          scene.link(0).fin();
        } else {
          scene.link(0).reset();
        }
        scene.run();
        assertThat(posted).as("cut at %s", at).containsExactly(failed(FetchOutcome.BROKEN));
      }
    }
  }

  @Test
  void whatIsNoHttpIsBroken() {
    try (var scene = new FetchScenario()) {
      List<PostResult> posted = scene.post(URL, BODY);
      scene.link(0).send("SSH-2.0-OpenSSH_9.6\r\n\r\n");
      scene.run();
      assertThat(posted).containsExactly(failed(FetchOutcome.BROKEN));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'Retry-After: 7', 7",
    "'Retry-After: 0', 0",
    "'Retry-After: 999999', 999999",
    "'Retry-After: 9999999', 0",
    "'Retry-After: -1', 0",
    "'Retry-After: soon', 0",
    "'X-Other: 7', 0",
  })
  void aReceiverMayAskForTime(String field, long seconds) {
    try (var scene = new FetchScenario()) {
      List<PostResult> posted = scene.post(URL, BODY);
      scene.link(0).send("HTTP/1.1 503 Busy\r\n" + field + "\r\nContent-Length: 0\r\n\r\n");
      scene.run();
      assertThat(posted).containsExactly(new PostResult.Answered(503, Duration.ofSeconds(seconds)));
    }
  }

  // Timeouts

  @Test
  void aReceiverThatStallsIsGivenUpAfterTheWholeTime() {
    try (var scene = new FetchScenario()) {
      List<PostResult> posted = scene.post(URL, BODY);
      for (int second = 0; second < 9; second++) {
        scene.link(0).send("HTTP/1.1 2".substring(second, second + 1));
        scene.passSeconds(1);
      }
      assertThat(posted).isEmpty();
      scene.passSeconds(1);
      assertThat(posted).containsExactly(failed(FetchOutcome.TIMED_OUT));
      assertThat(scene.link(0).isOpen()).isFalse();
    }
  }

  @Test
  void aReceiverThatReadsNothingIsGivenUpToo() {
    try (var scene = new FetchScenario()) {
      scene.connector.holdNewLinks(true);
      List<PostResult> posted = scene.post(URL, new byte[300_000]);
      scene.passSeconds(10);
      assertThat(posted).containsExactly(failed(FetchOutcome.TIMED_OUT));
    }
  }

  @Test
  void whatIsGivenUpEndsAtOnce() {
    try (var scene = new FetchScenario()) {
      scene.connector.behavior("93.184.216.34", ConnectBehavior.NO_RESPONSE);
      List<PostResult> connecting = new ArrayList<>();
      Post first = scene.begin(URL, BODY, connecting);
      scene.run();
      first.abort();
      first.abort();
      assertThat(connecting).containsExactly(failed(FetchOutcome.TIMED_OUT));
      scene.connector.acceptPending();
      scene.connector.behavior("93.184.216.34", ConnectBehavior.ACCEPTS);
      List<PostResult> waiting = new ArrayList<>();
      Post second = scene.begin(URL, BODY, waiting);
      scene.run();
      second.abort();
      scene.run();
      assertThat(waiting).containsExactly(failed(FetchOutcome.TIMED_OUT));
      assertThat(scene.connector.links()).allMatch(link -> !link.isOpen());
    }
  }

  @Test
  void connectingIsPartOfTheTime() {
    try (var scene = new FetchScenario()) {
      scene.connector.behavior("93.184.216.34", ConnectBehavior.NO_RESPONSE);
      List<PostResult> posted = scene.post(URL, BODY);
      scene.passSeconds(10);
      assertThat(posted).containsExactly(failed(FetchOutcome.TIMED_OUT));
      scene.connector.acceptPending();
    }
  }

  // Checked hosts

  @ParameterizedTest
  @CsvSource({
    "http://good.example/, INVALID",
    "https://user@good.example/, INVALID",
    "https://good.example:22/, BLOCKED",
    "https://127.0.0.1/, BLOCKED",
    "https://0x7f000001/, BLOCKED",
    "https://[::1]/, BLOCKED",
    "https://metadata.internal/, BLOCKED",
    "https://nowhere.example/, UNRESOLVED",
  })
  void aUrlIsJudgedAsItWasAtSubmission(String url, FetchOutcome outcome) {
    try (var scene = new FetchScenario()) {
      assertThat(scene.post(url, BODY)).containsExactly(failed(outcome));
      assertThat(scene.connector.addresses()).isEmpty();
    }
  }

  @Test
  void theNameIsResolvedAtEachAttempt() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("hook.example", "93.184.216.34", "93.184.216.34,10.0.0.1", "127.0.0.1");
      List<PostResult> first = scene.post("https://hook.example/", BODY);
      scene.link(0).send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
      scene.run();
      assertThat(first).containsExactly(answered(500));
      assertThat(scene.post("https://hook.example/", BODY))
          .containsExactly(failed(FetchOutcome.BLOCKED));
      assertThat(scene.post("https://hook.example/", BODY))
          .containsExactly(failed(FetchOutcome.BLOCKED));
      assertThat(scene.connector.addresses()).containsExactly("93.184.216.34");
      assertThat(scene.names.asked()).hasSize(3);
    }
  }

  @Test
  void aHostThatIsNotThereIsUnreachable() {
    try (var scene = new FetchScenario()) {
      scene.connector.behavior("93.184.216.34", ConnectBehavior.REFUSES);
      assertThat(scene.post(URL, BODY)).containsExactly(failed(FetchOutcome.UNREACHABLE));
      scene.connector.behavior("93.184.216.34", ConnectBehavior.CLOSES);
      assertThat(scene.post(URL, BODY)).containsExactly(failed(FetchOutcome.BROKEN));
    }
  }

  @Test
  void aNodeWithoutRoomForNamesReportsIt() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("slow.example", "SILENT");
      for (int n = 0; n < PublicAddressResolver.LOOKUPS_MAX; n++) {
        assertThat(scene.post("https://slow.example/", BODY)).isEmpty();
      }
      assertThat(scene.post(URL, BODY)).containsExactly(failed(FetchOutcome.NO_ROOM));
      assertThat(scene.poster.inFlight()).isEqualTo(PublicAddressResolver.LOOKUPS_MAX);
      scene.passSeconds(2);
    }
  }
}
