package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Valid messages, damaged at random: no exception, no leak, one verdict for all splits. */
final class HeadFuzzTest {
  private static final int DAMAGES_MAX = 6;

  private static final List<String> REQUESTS =
      List.of(
          "POST /v1/chat/completions HTTP/1.1~Host: api.example:8080~Content-Length: 5~"
              + "Authorization: Bearer sk-llm-a~Content-Type: application/json~~hello",
          "POST / HTTP/1.1~Host: [::1]~Transfer-Encoding: chunked~~"
              + "5;a=b;c=\"d\\\"e\"~hello~10~0123456789abcdef~0~X-T: v~~",
          "GET http://a.example/v1/models?x=y HTTP/1.1~Host: a~Expect: 100-continue~"
              + "Connection: keep-alive, X~~GET /v1/models HTTP/1.0~~");

  private static final List<String> RESPONSES =
      List.of(
          "HTTP/1.1 100 Continue~~HTTP/1.1 200 OK~Content-Length: 5~~hello",
          "HTTP/1.1 200 OK~Content-Type: text/event-stream~Transfer-Encoding: chunked~~"
              + "5;a=\"b\"~hello~1~x~0~X-T: v~~",
          "HTTP/1.0 200~Server: x~~until close");

  private static final List<String> SNIPPETS =
      List.of(
          "\r",
          "\n",
          "\r\n",
          "\r\n\r\n",
          "\0",
          " ",
          "\t",
          ":",
          ";",
          "\"",
          "0",
          "-1",
          "ffffffff",
          "\u00ff",
          "Content-Length: 3\r\n",
          "Transfer-Encoding: chunked\r\n",
          "Host: b\r\n",
          ",");

  @Test
  void damagedRequests() {
    Seeds.forEach(
        random -> {
          String bytes = damaged(pick(REQUESTS, random), random);
          List<String> transcript = RequestTranscript.of(List.of(bytes));
          assertThat(RequestTranscript.of(ByteSplits.everyByte(bytes))).isEqualTo(transcript);
          assertThat(RequestTranscript.of(ByteSplits.random(bytes, random))).isEqualTo(transcript);
        });
  }

  @Test
  void damagedResponses() {
    Seeds.forEach(
        random -> {
          String bytes = damaged(pick(RESPONSES, random), random);
          List<String> transcript = ResponseTranscript.of(List.of(bytes));
          List<String> cut = ResponseTranscript.of(ByteSplits.random(bytes, random));
          // Unsolicited bytes are reported before the end if both came in one read, and after it
          // otherwise.
          assertThat(cut).containsExactlyInAnyOrderElementsOf(transcript);
        });
  }

  private static String damaged(String bytes, Random random) {
    StringBuilder damaged = new StringBuilder(bytes.replace("~", "\r\n"));
    for (int i = random.nextInt(DAMAGES_MAX); i >= 0; i--) {
      damage(damaged, random);
    }
    return damaged.toString();
  }

  private static void damage(StringBuilder bytes, Random random) {
    int at = random.nextInt(bytes.length());
    int to = Math.min(bytes.length(), at + 1 + random.nextInt(16));
    switch (random.nextInt(6)) {
      case 0 -> bytes.setCharAt(at, (char) random.nextInt(256));
      case 1 -> bytes.deleteCharAt(at).append('x');
      case 2 -> bytes.insert(at, pick(SNIPPETS, random));
      case 3 -> bytes.insert(at, bytes.substring(at, to));
      case 4 -> bytes.insert(at, pick(SNIPPETS, random).repeat(1 + random.nextInt(200)));
      default -> bytes.setLength(Math.max(1, at));
    }
  }

  private static String pick(List<String> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }
}
