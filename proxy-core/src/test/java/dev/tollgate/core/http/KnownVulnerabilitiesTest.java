package dev.tollgate.core.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.testkit.PullChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Published vulnerabilities of other HTTP codecs, none of which may exist here. */
final class KnownVulnerabilitiesTest {
  private static final String POST = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n";
  private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";
  private static final String HIDDEN = "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n";

  @Test
  @DisplayName("CVE-2025-58056: a line feed in a chunk extension ends the line for one reader")
  void lineFeedInChunkExtension() {
    assertRefused(CHUNKED + "2;\nok\r\n0\r\n\r\n" + HIDDEN, "malformed chunk extension");
    assertRefused(CHUNKED + "2;a\nok\r\n0\r\n\r\n" + HIDDEN, "malformed chunk extension");
  }

  @Test
  @DisplayName("CVE-2026-33870: a quoted chunk extension hides a line end and a request")
  void quotedChunkExtension() {
    assertRefused(
        CHUNKED + "1;a=\"\r\nX\r\n0\r\n\r\n" + HIDDEN + "\"\r\nY\r\n0\r\n\r\n",
        "malformed chunk extension");
    assertRefused(CHUNKED + "1;a=\"\\\r\nX\r\n0\r\n\r\n", "malformed chunk extension");
  }

  @Test
  @DisplayName("CVE-2026-42581: HTTP/1.0 with both framings")
  void bothFramingsInHttp10() {
    assertRefused(
        "POST / HTTP/1.0\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX",
        "both Content-Length and Transfer-Encoding");
    assertRefused(
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding in HTTP/1.0");
  }

  @Test
  @DisplayName("CVE-2026-50020: control characters skipped before the request line")
  void controlCharactersAheadOfTheRequestLine() {
    assertRefused("\0\1" + HIDDEN, "control character");
    assertRefused("\r\n\0" + HIDDEN, "control character");
  }

  @Test
  @DisplayName("CVE-2025-67735, CVE-2026-41417: a line end in a request target that is sent")
  void lineEndInATarget() {
    ByteBuf out = Unpooled.buffer();
    assertThatThrownBy(() -> HeadWriter.requestLine(out, "GET", "/a\r\nX: y"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HeadWriter.requestLine(out, "GET", "/a b"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(out.readableBytes()).isZero();
  }

  @Test
  @DisplayName("CVE-2026-42578: a line end in a field that is sent")
  void lineEndInAField() {
    assertThatThrownBy(() -> new Field("X", "a\r\nY: b"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Field("X\n", "a")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Field("X:", "a")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Field("X", "\u010d\u010a"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("CVE-2026-42584: interim responses shift every later response by one")
  void interimResponsesDoNotShiftResponses() {
    ResponseDecoder decoder = new ResponseDecoder();
    PullChannel channel = PullChannel.open(decoder);
    for (int status : new int[] {200, 404}) {
      decoder.awaitResponse();
      channel.arrive(
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 "
              + status
              + " X\r\nContent-Length: 0\r\n\r\n");
      channel.pull();
      assertThat(((ResponseHead) channel.readInbound()).status()).isEqualTo(status);
      assertThat(channel.<Object>readInbound()).isEqualTo(BodyEnd.BODY_END);
    }
  }

  @Test
  @DisplayName("CVE-2026-42577: reads that go on behind the end of input spin")
  void noReadBehindTheEndOfInput() {
    RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT);
    PullChannel channel = PullChannel.open(decoder);
    channel.arriveHalfClose();
    channel.pull();
    int reads = channel.reads();
    channel.pull();
    decoder.dropInput(1024, () -> {});
    assertThat(channel.reads()).isEqualTo(reads);
    channel.finishAndReleaseAll();
  }

  @Test
  @DisplayName("HTTP/2 with prior knowledge on an HTTP/1 port")
  void http2Preface() {
    assertRefused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "version other than HTTP/1.1 and HTTP/1.0");
  }

  private static void assertRefused(String request, String reason) {
    List<String> transcript = ByteSplits.sameForAll(request, new Random(1), RequestTranscript::of);
    assertThat(transcript.getLast()).isEqualTo("bad 400 Malformed HTTP: " + reason + ".");
    assertThat(transcript).doesNotContain("end");
  }
}
