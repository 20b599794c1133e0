package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verdicts on clients' requests, for all splits. A {@code ~} is a CRLF. */
final class RequestVerdictsTest {
  private static final String POST = "POST /v1/chat/completions HTTP/1.1~Host: a~";
  private static final String CHUNKED = POST + "Transfer-Encoding: chunked~~";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          GET /v1/models?limit=2 HTTP/1.1~Host: a.example:8080~~     | GET /v1/models limit=2 1.1 None
          GET /? HTTP/1.1~Host: a~~                                  | GET /  1.1 None
          GET http://a/v1/models?x HTTP/1.1~Host: b~~                | GET /v1/models x 1.1 None
          GET HTTPS://a.example:443 HTTP/1.1~Host: b~~               | GET /  1.1 None
          GET http://a?x=/ HTTP/1.1~Host: b~~                        | GET / x=/ 1.1 None
          GET //evil/v1 HTTP/1.1~Host: a~~                           | GET //evil/v1  1.1 None
          OPTIONS * HTTP/1.1~Host: [::1]:80~~                        | OPTIONS *  1.1 None
          ~~GET / HTTP/1.1~Host: a~~                                 | GET /  1.1 None
          GET / HTTP/1.0~~                                           | GET /  1.0 None last
          GET / HTTP/1.0~Connection: Keep-Alive~~                    | GET /  1.0 None
          GET / HTTP/1.1~Host: a~Connection: x~Connection: y , Close~~ | GET /  1.1 None last
          GET / HTTP/1.1~Host: a~Expect: 100-continue~~              | GET /  1.1 None
          PUT / HTTP/1.1~Host: a~Content-Length: 02~Expect: 100-Continue~~ok | PUT /  1.1 Fixed[bytes=2] expects
          PUT / HTTP/1.0~Content-Length: 2~Expect: 100-continue~~ok  | PUT /  1.0 Fixed[bytes=2] last
          PUT / HTTP/1.1~Host: a~transfer-encoding:CHUNKED~~0~~      | PUT /  1.1 Chunked[]
          PUT / HTTP/1.1~Host: a~Content_Length: 9~Transfer_Encoding: chunked~~ | PUT /  1.1 None
          """)
  void aSoundRequest(String request, String head) {
    List<String> transcript = transcript(request);
    assertThat(transcript.getFirst().lines().findFirst())
        .hasValue("head " + head.replace("None", "None[]"));
    assertThat(transcript.getLast()).isEqualTo("end");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          GET /a#b HTTP/1.1~          | 400 Malformed HTTP: malformed request line.
          GET /a b HTTP/1.1~          | 400 Malformed HTTP: version other than HTTP/1.1 and HTTP/1.0.
          GET a/b HTTP/1.1~           | 400 Malformed HTTP: malformed request target.
          GET * HTTP/1.1~             | 400 Malformed HTTP: malformed request target.
          GET ftp://a/ HTTP/1.1~      | 400 Malformed HTTP: malformed request target.
          GET http:///v1 HTTP/1.1~    | 400 Malformed HTTP: malformed request target.
          GET http://u:p@a/ HTTP/1.1~ | 400 Malformed HTTP: malformed request target.
          GET http://a:b/ HTTP/1.1~   | 400 Malformed HTTP: malformed request target.
          GET http://[::1/ HTTP/1.1~  | 400 Malformed HTTP: malformed request target.
          GET / HTTP/1.1 ~            | 400 Malformed HTTP: version other than HTTP/1.1 and HTTP/1.0.
          PRI * HTTP/2.0~             | 400 Malformed HTTP: version other than HTTP/1.1 and HTTP/1.0.
          CONNECT a:22 HTTP/1.1~      | 404 Refused: method CONNECT is not served.
          TRACE / HTTP/1.1~           | 404 Refused: method TRACE is not served.
          ~~~GET / HTTP/1.1~          | 400 Malformed HTTP: empty lines before the start line.
          """)
  void aRequestLineIsRefusedBeforeAnyField(String request, String verdict) {
    assertThat(transcript(request)).containsExactly("bad " + verdict);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "a/b",
        "x/#@evil",
        "u@a",
        "a:x",
        "a:65536",
        "a,b",
        "[::1",
        "[]",
        "[::1]x",
        "a%2e",
        "",
        ":80"
      })
  void aHostThatIsNoAuthorityIsRefused(String host) {
    assertThat(transcript("GET / HTTP/1.1~Host: " + host + "~~"))
        .containsExactly("bad 400 Malformed HTTP: malformed Host header.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Authorization", "Content-Type", "Idempotency-Key", "Content-Length", "Expect"})
  void aSecondLineOfTheseIsRefused(String name) {
    String line = name + ": 100-continue~";
    assertThat(transcript(POST + line + line.toUpperCase(Locale.ROOT) + "~"))
        .containsExactly(
            "bad 400 Malformed HTTP: more than one header " + name.toLowerCase(Locale.ROOT) + ".");
  }

  @Test
  void limitsHoldToTheByte() {
    int room = RequestLimits.DEFAULT.lineBytesMax() - "GET / HTTP/1.1\r\n".length();
    assertThat(transcript("GET /" + "a".repeat(room) + " HTTP/1.1~Host: a~~").getLast())
        .isEqualTo("end");
    assertThat(transcript("GET /" + "a".repeat(room + 1) + " HTTP/1.1~Host: a~~"))
        .containsExactly("bad 413 Malformed HTTP: start line too long.");
    String head = "GET / HTTP/1.1~Host: a~X: ";
    room = RequestLimits.DEFAULT.headBytesMax() - head.length() - 6;
    assertThat(transcript(head + "a".repeat(room) + "~~").getLast()).isEqualTo("end");
    assertThat(transcript(head + "a".repeat(room + 1) + "~~"))
        .containsExactly("bad 413 Malformed HTTP: header too large.");
    assertThat(transcript("GET / HTTP/1.1~Host: a~" + "X: a~".repeat(99) + "~").getLast())
        .isEqualTo("end");
    assertThat(transcript("GET / HTTP/1.1~Host: a~" + "X: a~".repeat(100) + "~"))
        .containsExactly("bad 413 Malformed HTTP: too many header fields.");
  }

  @Test
  void chunkExtensionsAreCountedOverTheWholeBody() {
    String chunk = "1;" + "x".repeat(1000) + "~a~";
    assertThat(transcript(CHUNKED + chunk.repeat(16) + "0~~").getLast()).isEqualTo("end");
    assertThat(transcript(CHUNKED + chunk.repeat(17) + "0~~").getLast())
        .isEqualTo("bad 413 Malformed HTTP: too many chunk extensions.");
    assertThat(transcript(CHUNKED + "1;" + "x".repeat(1024) + "~a~0~~").getLast())
        .isEqualTo("bad 413 Malformed HTTP: chunk size line too long.");
    assertThat(transcript(CHUNKED + "0".repeat(1024) + "1~a~0~~").getLast())
        .isEqualTo("bad 413 Malformed HTTP: chunk size line too long.");
  }

  @Test
  void theLargestChunkSizeIsThatOfAnInt() {
    assertThat(transcript(CHUNKED + "7fffffff~a").getLast()).isEqualTo("event TRUNCATED_REQUEST");
    assertThat(transcript(CHUNKED + "80000000~a").getLast())
        .isEqualTo("bad 413 Malformed HTTP: chunk too large.");
    assertThat(transcript(CHUNKED + "ffffffffffffffff1~a").getLast())
        .isEqualTo("bad 413 Malformed HTTP: chunk too large.");
  }

  @Test
  void fieldsKeepTheirBytes() {
    assertThat(
            transcript("GET / HTTP/1.1~hOsT:a~X-Latin:\t caf\u00e9 \u00ff \t~Empty:~~").getFirst())
        .endsWith("\nhOsT=a\nX-Latin=caf\u00e9 \u00ff\nEmpty=");
  }

  private static List<String> transcript(String request) {
    return ByteSplits.sameForAll(
        request.replace("~", "\r\n"), new Random(1), RequestTranscript::of);
  }
}
