package dev.tollgate.core.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.egress.FetchScenario.PendingFetch;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fetch of one image: the request, accepted replies, and timeouts. */
class FetchTest {
  private static final String URL = "https://good.example/cat.png?v=1#top";
  private static final byte[] PNG = image("\u0089PNG\r\n\u001a\n", 3_000);

  private static byte[] image(String head, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i < head.length() ? head.charAt(i) : i * 31);
    }
    return bytes;
  }

  private static byte[] reply(String fields, byte[] body) {
    byte[] head = ("HTTP/1.1 200 OK\r\n" + fields + "\r\n").getBytes(ISO_8859_1);
    byte[] all = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, all, head.length, body.length);
    return all;
  }

  private static byte[] sized(byte[] body) {
    return reply("Content-Length: " + body.length + "\r\n", body);
  }

  private static byte[] chunked(byte[] body) {
    String content = new String(body, ISO_8859_1);
    String text =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + Integer.toHexString(body.length)
            + "\r\n"
            + content
            + "\r\n0\r\n\r\n";
    return text.getBytes(ISO_8859_1);
  }

  private static byte[] bytes(PendingFetch asked) {
    return Arrays.copyOf(asked.image().bytes(), asked.image().length());
  }

  @Test
  void theRequestHasTheRequiredFieldsOnly() {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      assertThat(scene.link(0).received())
          .isEqualTo(
              """
              GET /cat.png?v=1 HTTP/1.1\r
              host: good.example\r
              accept: image/png, image/jpeg, image/webp, image/gif\r
              accept-encoding: identity\r
              user-agent: tollgate\r
              connection: close\r
              \r
              """);
      scene.link(0).send(sized(PNG));
      scene.run();
      assertThat(bytes(asked)).isEqualTo(PNG);
      assertThat(asked.image().type()).isEqualTo(BlobType.PNG);
      assertThat(scene.metrics).containsExactly("ok 3000 0");
      assertThat(scene.connector.addresses()).containsExactly("93.184.216.34");
      assertThat(scene.names.asked()).containsExactly("good.example");
    }
  }

  @Test
  void aPortOfItsOwnIsPartOfTheHost() {
    try (var scene = new FetchScenario()) {
      scene.fetch("https://good.example:8443/");
      assertThat(scene.link(0).received()).contains("\r\nhost: good.example:8443\r\n");
      scene.link(0).fin();
    }
  }

  @Test
  void theReplyMayComeInAnyPieces() {
    List<byte[]> replies = new ArrayList<>();
    replies.add(sized(PNG));
    replies.add(chunked(PNG));
    replies.add(reply("Connection: close\r\n", PNG));
    replies.add(reply("content-encoding: identity\r\ncontent-type: text/html\r\n", PNG));
    for (byte[] reply : replies) {
      Seeds.forEach(
          5,
          random -> {
            try (var scene = new FetchScenario()) {
              PendingFetch asked = scene.fetch(URL);
              ProviderLink link = scene.link(0);
              boolean single = random.nextInt(3) == 0;
              for (int at = 0; at < reply.length; ) {
                int to = Math.min(reply.length, at + (single ? 1 : 1 + random.nextInt(900)));
                link.send(reply, at, to);
                scene.run();
                at = to;
              }
              if (asked.outcome == null) {
                link.fin();
                scene.run();
              }
              assertThat(bytes(asked)).isEqualTo(PNG);
            }
          });
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RIFF....WEBP, WEBP",
    "GIF87a, GIF",
    "GIF89a, GIF",
    "'\u00ff\u00d8\u00ff\u00e0', JPEG"
  })
  void theBytesDecideTheType(String head, BlobType type) {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      scene.link(0).send(reply("Content-Type: image/png\r\n", image(head, 40)));
      scene.link(0).fin();
      scene.run();
      assertThat(asked.image().type()).isEqualTo(type);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"<html>no image at all", "RIFF....WAVE", "\u0089PNG\r\n", "GIF79a......", ""})
  void aBodyThatIsNoImageIsRefusedWhateverItsType(String body) {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      byte[] bytes = body.getBytes(ISO_8859_1);
      scene
          .link(0)
          .send(
              reply("Content-Type: image/png\r\nContent-Length: " + bytes.length + "\r\n", bytes));
      scene.run();
      assertThat(asked.failure()).isEqualTo(FetchOutcome.BAD_TYPE);
      Fault fault = asked.failed().fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("input_images[0]");
    }
  }

  @Test
  void aPageIsGivenUpByItsFirstBytes() {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      scene
          .link(0)
          .send(reply("Content-Length: 60000\r\n", "<!doctype html>".getBytes(ISO_8859_1)));
      scene.run();
      assertThat(asked.failure()).isEqualTo(FetchOutcome.BAD_TYPE);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1 404 Not Found, BAD_STATUS",
    "HTTP/1.1 206 Partial Content, BAD_STATUS",
    "HTTP/1.1 204 No Content, BAD_STATUS",
    "HTTP/1.1 304 Not Modified, BAD_STATUS",
    "HTTP/1.1 302 Found, BAD_STATUS",
    "HTTP/1.1 300 Multiple Choices|Location: https://good.example/, BAD_STATUS",
    "HTTP/1.1 302 Found|Location: /a|Location: /b, BAD_STATUS",
    "HTTP/1.1 200 OK|Content-Encoding: gzip, BAD_TYPE",
    "HTTP/1.1 200 OK|Content-Encoding: identity|Content-Encoding: br, BAD_TYPE",
    "HTTP/1.1 200 OK|Content-Length: 65537, TOO_LARGE",
    "HTTP/1.1 200 OK|Content-Length: 5|Transfer-Encoding: chunked, BROKEN",
    "SSH-2.0-OpenSSH_9.6, BROKEN",
  })
  void aReplyThatIsOfNoUseEndsTheFetchAtOnce(String head, FetchOutcome outcome) {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      scene.link(0).send(head.replace("|", "\r\n") + "\r\n\r\n");
      scene.run();
      assertThat(asked.failure()).isEqualTo(outcome);
      assertThat(asked.failed().fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(scene.links()).isOne();
    }
  }

  @Test
  void aServerThatBreaksOffLeavesNoImage() {
    byte[] reply = sized(PNG);
    for (int at = 0; at < reply.length; at += 97) {
      for (boolean reset : new boolean[] {false, true}) {
        try (var scene = new FetchScenario()) {
          PendingFetch asked = scene.fetch(URL);
          scene.link(0).send(reply, 0, at);
          if (reset) {
            scene.link(0).reset();
          } else {
            scene.link(0).fin();
          }
          scene.run();
          assertThat(asked.failure()).as("cut at %s", at).isEqualTo(FetchOutcome.BROKEN);
        }
      }
    }
  }

  @Test
  void aBodyWithoutEndIsCutAtTheLimit() {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      scene.link(0).send(reply("", PNG));
      byte[] more = new byte[10_000];
      int sent = 0;
      while (asked.outcome == null && sent < 20) {
        scene.link(0).send(more);
        scene.run();
        sent++;
      }
      assertThat(asked.failure()).isEqualTo(FetchOutcome.TOO_LARGE);
      assertThat(sent).isEqualTo(7);
    }
  }

  @Test
  void anImageOfExactlyTheLimitIsTaken() {
    try (var scene = new FetchScenario()) {
      byte[] largest = image("\u0089PNG\r\n\u001a\n", FetchScenario.BYTES_MAX);
      PendingFetch asked = scene.fetch(URL);
      scene.link(0).send(reply("", largest));
      scene.link(0).fin();
      scene.run();
      assertThat(bytes(asked)).isEqualTo(largest);
    }
  }

  @Test
  void memoryIsAskedForByWhatCameAndNotByWhatWasPromised() {
    try (var scene = new FetchScenario()) {
      scene.roomMax = 20_000;
      PendingFetch first = scene.fetch(URL);
      scene.link(0).send(reply("Content-Length: 60000\r\n", Arrays.copyOf(PNG, 1_000)));
      scene.run();
      assertThat(first.outcome).isNull();
      scene.link(0).send(new byte[19_000]);
      scene.link(0).send(new byte[19_000]);
      scene.run();
      assertThat(first.failure()).isEqualTo(FetchOutcome.NO_ROOM);
      assertThat(first.failed().fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(first.failed().fault().retryAfterSeconds()).isPositive();
    }
  }

  /** Slow hosts cost a client nothing. */
  @Test
  void oneOrganizationHasAPartOfThePlaces() {
    try (var scene = new FetchScenario()) {
      List<PendingFetch> slow = new ArrayList<>();
      for (int n = 0; n < ImageFetchClient.FETCHES_PER_ORG_MAX; n++) {
        slow.add(scene.fetch(URL));
      }
      PendingFetch crowded = scene.fetch(URL);
      assertThat(crowded.failure()).isEqualTo(FetchOutcome.NO_ROOM);
      assertThat(crowded.failed().fault().code()).isEqualTo(ErrorCode.CONCURRENCY_EXCEEDED);
      assertThat(crowded.failed().fault().retryAfterSeconds()).isOne();

      PendingFetch others = scene.fetch(new OrgId(new UUID(3, 4)), URL);
      assertThat(others.outcome).as("it is being fetched").isNull();
      slow.getFirst().cancel();
      PendingFetch next = scene.fetch(URL);
      assertThat(next.outcome).isNull();
      assertThat(scene.fetch(URL).failure()).isEqualTo(FetchOutcome.NO_ROOM);

      slow.forEach(PendingFetch::cancel);
      others.cancel();
      next.cancel();
    }
  }

  @Test
  void aDripIsEndedAfterFifteenSecondsInAll() {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      byte[] reply = sized(PNG);
      for (int second = 0; second < 14; second++) {
        scene.link(0).send(reply, second, second + 1);
        scene.passSeconds(1);
      }
      assertThat(asked.outcome).isNull();
      scene.passSeconds(1);
      assertThat(asked.failure()).isEqualTo(FetchOutcome.TIMED_OUT);
      assertThat(scene.metrics).containsExactly("timed_out 0 15000");
    }
  }

  @Test
  void theClockRunsOverAllRedirects() {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      scene.passSeconds(8);
      scene.link(0).send("HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n");
      scene.passSeconds(8);
      assertThat(asked.failure()).isEqualTo(FetchOutcome.TIMED_OUT);
      assertThat(scene.links()).isEqualTo(2);
    }
  }

  @Test
  void aFetchMayBeCancelledAtAnyTime() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("slow.example", "SILENT");
      PendingFetch resolving = scene.fetch("https://slow.example/");
      scene.connector.behavior("93.184.216.34", ConnectBehavior.NO_RESPONSE);
      PendingFetch connecting = scene.fetch(URL);
      scene.connector.behavior("93.184.216.34", ConnectBehavior.ACCEPTS);
      PendingFetch waiting = scene.fetch(URL);
      PendingFetch receiving = scene.fetch(URL);
      scene.link(1).send(sized(PNG), 0, 200);
      scene.run();
      for (PendingFetch asked : List.of(resolving, connecting, waiting, receiving)) {
        asked.cancel();
        asked.cancel();
        scene.run();
        assertThat(asked.outcome).as("no result is delivered").isNull();
      }
      assertThat(scene.metrics).hasSize(4).allMatch(line -> line.startsWith("cancelled "));
    }
  }

  @Test
  void anEndIsReportedOnceAndCannotBeCancelled() {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      scene.link(0).send(sized(PNG)).fin();
      scene.run();
      FetchResult result = asked.outcome;
      asked.cancel();
      scene.passSeconds(20);
      assertThat(asked.outcome).isSameAs(result);
      assertThat(scene.metrics).hasSize(1);
    }
  }
}
