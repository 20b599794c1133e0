package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.testkit.PullChannel;
import io.netty.buffer.ByteBuf;
import java.net.SocketException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verdicts on providers' responses for all splits, and the messages of a read. */
final class ResponseDecoderTest {
  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

  private final ResponseDecoder decoder = new ResponseDecoder();
  private final PullChannel channel = PullChannel.open(decoder);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          200 OK~Content-Length: 5~~hello                       | head 200 Fixed, body hello, end
          200 OK~Content-Length: 0~~                            | head 200 None, end
          200~Content-Length: 2~~ok                             | head 200 Fixed, body ok, end
          200 ~Content-Length: 2~~ok                            | head 200 Fixed, body ok, end
          404 Not Found~Content-Length: 2~Connection: close~~no | head 404 Fixed last, body no, end
          200 OK~~until close                                   | head 200 UntilClose last, body until close, end
          200 OK~transfer-encoding: Chunked~~2~ok~0~~           | head 200 Chunked, body ok, end
          200 OK~Transfer-Encoding: chunked~~2;x=y;z="a b"~ok~0~~  | head 200 Chunked, body ok, end
          200 OK~Transfer-Encoding: chunked~~1~o~1~k~0~X-T: v~~ | head 200 Chunked, body ok, end
          204 No Content~~                                      | head 204 None, end
          304 Not Modified~Content-Length: 7~~                  | head 304 None, end
          100 Continue~~HTTP/1.1 103 Early Hints~Link: a~~HTTP/1.1 200 OK~Content-Length: 2~~ok | head 200 Fixed, body ok, end
          """)
  void aSoundResponse(String response, String transcript) {
    assertThat(decoded("HTTP/1.1 " + lines(response))).containsExactly(transcript.split(", "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTP/1.1 20 OK~~                                             | malformed status line
          HTTP/1.1 2000 OK~~                                           | malformed status line
          HTTP/1.1 2x0 OK~~                                            | malformed status line
          HTTP/1.2 200 OK~~                                            | malformed status line
          HTTP/2 200 OK~~                                              | malformed status line
          http/1.1 200 OK~~                                            | malformed status line
          SSH-2.0-OpenSSH_9.6~                                         | malformed status line
          220 mail.example ESMTP~                                      | malformed status line
          HTTP/1.1 999 Odd~~                                           | status out of range
          HTTP/1.1 099 Odd~~                                           | status out of range
          HTTP/1.1 101 Switching Protocols~~                           | 101 without an upgrade
          HTTP/1.1 200 OK~Content-Length: 5~Content-Length: 5~~hello   | more than one header content-length
          HTTP/1.1 200 OK~Content-Length: 5~Content-Length: 6~~hello   | more than one header content-length
          HTTP/1.1 200 OK~Content-Length: 5, 5~~hello                  | malformed Content-Length
          HTTP/1.1 200 OK~Content-Length: -5~~hello                    | malformed Content-Length
          HTTP/1.1 200 OK~Content-Length: 9223372036854775808~~hello   | Content-Length too large
          HTTP/1.1 200 OK~Content-Length: 5~Transfer-Encoding: chunked~~ | both Content-Length and Transfer-Encoding
          HTTP/1.1 200 OK~Transfer-Encoding: gzip, chunked~~           | Transfer-Encoding other than chunked
          HTTP/1.0 200 OK~Transfer-Encoding: chunked~~                 | Transfer-Encoding in HTTP/1.0
          HTTP/1.1 200 OK~X: a~ folded~~                               | malformed header field
          HTTP/1.1 200 OK~X : a~~                                      | malformed header field
          """)
  void aHeadThatIsRefused(String response, String reason) {
    assertThat(decoded(lines(response))).containsExactly("bad " + reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          5~hello~x~                  | malformed chunk
          5~helloworld                | malformed chunk
          -5~hello~0~~                | malformed chunk
          5 ~hello~0~~                | malformed chunk
          ~hello                      | malformed chunk
          5~hello~0~X: a\u0000b~~     | control character
          5~hello~0~no colon~~        | malformed header field
          5~hello~100000005~x         | chunk too large
          5~hello~80000000~x          | chunk too large
          5~hello~5;~hello~0~~        | malformed chunk extension
          """)
  void aChunkThatIsRefused(String body, String reason) {
    List<String> transcript = decoded(CHUNKED + lines(body));
    assertThat(transcript.getFirst()).isEqualTo("head 200 Chunked");
    assertThat(transcript.getLast()).isEqualTo("bad " + reason);
    assertThat(transcript).doesNotContain("end");
  }

  @Test
  void aTlsAlertIsRefusedAtOnce() {
    assertThat(decoded("\u0015\u0003\u0003\u0000\u0002\u0002("))
        .containsExactly("bad control character");
  }

  @Test
  void aLineFeedAloneEndsNoChunkLine() {
    assertThat(decoded(CHUNKED + "5\nhello\r\n0\r\n\r\n"))
        .containsExactly("head 200 Chunked", "bad malformed chunk");
  }

  @Test
  void tooLargeAHeadIsRefused() {
    assertThat(decoded(OK + "X: " + "a".repeat(33_000) + "\r\n\r\n"))
        .containsExactly("bad header too large");
    assertThat(decoded(OK + "X: a\r\n".repeat(101) + "\r\n"))
        .containsExactly("bad too many header fields");
  }

  @Test
  void interimResponsesAreSwallowedButNotForever() {
    String interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
    String last = OK + "Content-Length: 0\r\n\r\n";
    assertThat(decoded(interim.repeat(16) + last)).containsExactly("head 200 None", "end");
    assertThat(decoded(interim.repeat(17) + last))
        .containsExactly("bad too many interim responses");
  }

  @Test
  void aCloseBeforeTheEndIsATruncation() {
    assertThat(decoded("")).containsExactly("cut in the head");
    assertThat(decoded("HTTP/1.1 200 OK\r\nContent-")).containsExactly("cut in the head");
    assertThat(decoded(OK + "Content-Length: 5\r\n\r\nhell"))
        .containsExactly("head 200 Fixed", "body hell", "cut in the body");
    assertThat(decoded(CHUNKED + "5\r\nhello\r\n0\r\n"))
        .containsExactly("head 200 Chunked", "body hello", "cut in the body");
  }

  @Test
  void aResetIsNeverAnEnd() {
    decoder.awaitResponse();
    channel.arrive(OK + "\r\n");
    channel.pull();
    channel.arriveReset();
    channel.pull();
    assertThat(channel.inboundMessages()).hasSize(1).first().isInstanceOf(ResponseHead.class);
    assertThatThrownBy(channel::checkException).isInstanceOf(SocketException.class);
  }

  @Test
  void bytesBehindAResponsePoisonTheConnectionBeforeItsEnd() {
    decoder.awaitResponse();
    channel.arrive(OK + "Content-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    channel.pull();
    assertThat(channel.inboundMessages()).hasSize(3);
    assertThat(channel.<Object>readInbound()).isInstanceOf(ResponseHead.class);
    assertThat(channel.<Object>readInbound()).isEqualTo(UnsolicitedBytes.UNSOLICITED_BYTES);
    assertThat(channel.<Object>readInbound()).isEqualTo(BodyEnd.BODY_END);
    decoder.awaitResponse();
    channel.arrive(OK + "\r\n");
    channel.pull();
    assertThat(channel.inboundMessages()).isEmpty();
  }

  @Test
  void bytesOnAnIdleConnectionPoisonItOnce() {
    channel.arrive(OK);
    channel.arrive(OK);
    channel.pull();
    channel.pull();
    assertThat(channel.inboundMessages()).containsExactly(UnsolicitedBytes.UNSOLICITED_BYTES);
  }

  @Test
  void anIdleConnectionThatClosesIsNoTruncation() {
    decoder.awaitResponse();
    channel.arrive(OK + "Content-Length: 0\r\n\r\n");
    channel.pull();
    channel.arriveClose();
    channel.pull();
    assertThat(channel.inboundMessages()).hasSize(2);
  }

  @Test
  void aConnectionServesOneResponseAfterAnother() {
    for (int i = 0; i < 3; i++) {
      decoder.awaitResponse();
      assertThat(decoder.hasSeenBytes()).isFalse();
      channel.arrive(CHUNKED + "2\r\nok\r\n0\r\n\r\n");
      channel.pull();
      assertThat(decoder.hasSeenBytes()).isTrue();
      assertThat(channel.<Object>readInbound()).isInstanceOf(ResponseHead.class);
      channel.<ByteBuf>readInbound().release();
      assertThat(channel.<Object>readInbound()).isEqualTo(BodyEnd.BODY_END);
    }
  }

  @Test
  void oneResponseAtATime() {
    decoder.awaitResponse();
    assertThatThrownBy(decoder::awaitResponse).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aReadThatBroughtNoMessageIsFollowedByAnother() {
    decoder.awaitResponse();
    channel.arrive("HTTP/1.1 100 Continue\r\n\r\n");
    channel.arrive("HTTP/1.1 200 O");
    channel.arrive("K\r\nTransfer-Encoding: chunked\r\n\r\n");
    channel.arrive("1");
    channel.arrive(";x\r\n");
    channel.arrive("a\r\n");
    channel.pull();
    assertThat(channel.reads()).isEqualTo(3);
    assertThat(channel.<Object>readInbound()).isInstanceOf(ResponseHead.class);
    channel.pull();
    assertThat(channel.reads()).isEqualTo(6);
    channel.<ByteBuf>readInbound().release();
    assertThat(channel.isReadOpen()).isFalse();
  }

  private static List<String> decoded(String response) {
    return ByteSplits.sameForAll(response, new Random(1), ResponseTranscript::of);
  }

  private static String lines(String text) {
    return text.replace("~", "\r\n");
  }
}
