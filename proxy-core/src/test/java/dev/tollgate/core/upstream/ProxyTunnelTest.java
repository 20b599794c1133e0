package dev.tollgate.core.upstream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.testkit.PullChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tunnel of a proxy, whose answers come byte by byte. */
class ProxyTunnelTest {
  private static final String OK = "HTTP/1.1 200 Connection established\r\n\r\n";

  private final Promise<Void> open = ImmediateEventExecutor.INSTANCE.newPromise();
  private final List<Object> seen = new ArrayList<>();
  private PullChannel channel = connected(new HttpProxy("proxy.example", 3128, null));

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private PullChannel connected(HttpProxy proxy) {
    var endpoint = new EndpointIdentity(true, "models.example", 443, null, proxy);
    return PullChannel.open(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel created) {
            new ProxyTunnel(endpoint, proxy, open).install(created.pipeline());
            created.pipeline().addLast(new Recorder());
          }
        });
  }

  /** Stands for TLS or HTTP. */
  private final class Recorder extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      seen.add("active");
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      seen.add(((ByteBuf) message).toString(US_ASCII));
      ((ByteBuf) message).release();
    }
  }

  private void arrive(String text) {
    for (byte one : text.getBytes(US_ASCII)) {
      channel.arrive(Unpooled.wrappedBuffer(new byte[] {one}));
    }
  }

  private String sent() {
    ByteBuf bytes = channel.readOutbound();
    try {
      return bytes.toString(US_ASCII);
    } finally {
      bytes.release();
    }
  }

  private ConnectFault fault() {
    assertThat(open.cause()).isInstanceOf(ConnectFailure.class);
    assertThat(channel.isOpen()).isFalse();
    assertThat(seen).isEmpty();
    return ((ConnectFailure) open.cause()).fault();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        OK,
        "HTTP/1.0 200 OK\r\nProxy-Agent: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 201 Made\r\n\r\n"
      })
  void whatIsBehindSeesTheTunnelOnly(String answer) {
    assertThat(sent())
        .isEqualTo("CONNECT models.example:443 HTTP/1.1\r\nhost: models.example:443\r\n\r\n");
    arrive(answer.substring(0, answer.length() - 1));
    assertThat(open.isDone()).isFalse();
    assertThat(seen).isEmpty();
    arrive("\n");
    assertThat(open.isSuccess()).isTrue();
    assertThat(seen).containsExactly("active");
    assertThat(channel.pipeline().names()).doesNotContain("proxy", "proxy-http");
    channel.read();
    arrive("x");
    assertThat(seen).containsExactly("active", "x");
  }

  @Test
  void anAnswerInOneReadOpensItToo() {
    sent();
    channel.arrive(Unpooled.copiedBuffer(OK, US_ASCII));
    assertThat(open.isSuccess()).isTrue();
  }

  @Test
  void credentialsAreSent() {
    sent();
    channel.finishAndReleaseAll();
    channel = connected(new HttpProxy("::1", 3128, new Secret("Basic dTpw")));
    assertThat(sent()).contains("\r\nproxy-authorization: Basic dTpw\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1 407 Who|Content-Length: 3||who, PROXY_AUTH",
    "HTTP/1.1 403 No||, PROXY_REFUSED",
    "HTTP/1.1 502 Bad|Transfer-Encoding: chunked||, PROXY_REFUSED",
    "HTTP/1.1 302 Found|Location: http://login/||, PROXY_REFUSED",
    "220 mail.example ESMTP||, PROXY_MALFORMED",
    "HTTP/1.1 101 Upgrade||, PROXY_MALFORMED"
  })
  void anotherAnswerHasItsOwnFault(String answer, ConnectFault expected) {
    sent();
    arrive(answer.replace("|", "\r\n"));
    assertThat(fault()).isEqualTo(expected);
  }

  /** They would be read as the begin of the first reply. */
  @ParameterizedTest
  @ValueSource(strings = {"", "Content-Length: 0\r\n", "Content-Length: 1\r\n"})
  void bytesBehindTheAnswerAreRefused(String field) {
    sent();
    String answer = "HTTP/1.1 200 OK\r\n" + field + "\r\nx";
    channel.arrive(Unpooled.copiedBuffer(answer, US_ASCII));
    assertThat(fault()).isEqualTo(ConnectFault.PROXY_MALFORMED);
  }

  @Test
  void aProxyThatDiesMidwayIsNamed() {
    sent();
    arrive("HTTP/1.1 200 Conn");
    channel.arriveClose();
    assertThat(fault()).isEqualTo(ConnectFault.PROXY_CLOSED);
  }

  @Test
  void aResetIsNamed() {
    sent();
    arrive("HTTP/1.1");
    channel.arriveReset();
    assertThat(fault()).isEqualTo(ConnectFault.PROXY_CLOSED);
  }
}
