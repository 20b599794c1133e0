package dev.tollgate.core.http;

import static dev.tollgate.core.http.BodyEnd.BODY_END;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.PullChannel;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** One message per read, nothing behind a request's end, every socket read accounted for. */
final class RequestDecoderTest {
  private static final String HEAD = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n";

  private final RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT);
  private final PullChannel channel = PullChannel.open(decoder);

  @Test
  void aRequestComesOneMessagePerRead() {
    channel.arrive(HEAD + "Content-Length: 5\r\n\r\nhello");
    assertThat(channel.reads()).isZero();
    channel.pull();
    RequestHead head = channel.readInbound();
    assertThat(head.method()).isEqualTo("POST");
    assertThat(head.path()).isEqualTo("/v1/chat/completions");
    assertThat(head.body()).isEqualTo(new BodyLength.Fixed(5));
    assertThat(decoder.bodyBytesLeft()).isEqualTo(5);
    assertThat(channel.inboundMessages()).isEmpty();
    channel.pull();
    assertThat(text(channel.readInbound())).isEqualTo("hello");
    channel.pull();
    assertThat(channel.inboundMessages()).containsExactly(BODY_END);
    assertThat(channel.reads()).isEqualTo(2);
    assertThat(channel.isReadOpen()).isTrue();
  }

  private static String text(ByteBuf bytes) {
    String text = bytes.toString(StandardCharsets.ISO_8859_1);
    bytes.release();
    return text;
  }
}
