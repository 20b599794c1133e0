package dev.tollgate.core.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.ScriptedNames;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/**
 * POST over real sockets and TLS: the server name is sent and verified, and the body arrives whole.
 */
class PostLoopbackTest {
  private static final String NAME = "hook.example";
  private static final int SECONDS_MAX = 20;
  private static final int BODY_BYTES = 700_000;

  private final LoopbackTls tls;

  PostLoopbackTest() throws Exception {
    tls = new LoopbackTls(SslContext.defaultClientProvider());
  }

  /** Request as one receiver got it. */
  private record Seen(String head, String body, String serverName) {}

  private static CompletableFuture<Seen> answerOnce(SSLServerSocket listener) {
    var seen = new CompletableFuture<Seen>();
    Thread.ofVirtual()
        .start(
            () -> {
              try (SSLSocket socket = (SSLSocket) listener.accept()) {
                seen.complete(read(socket));
                socket
                    .getOutputStream()
                    .write("HTTP/1.1 202 Yes\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1));
              } catch (IOException e) {
                seen.completeExceptionally(e);
              }
            });
    return seen;
  }

  private static Seen read(SSLSocket socket) throws IOException {
    var in = socket.getInputStream();
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.read());
    }
    String body = new String(in.readNBytes(BODY_BYTES), ISO_8859_1);
    var session = (ExtendedSSLSession) socket.getSession();
    return new Seen(head.toString(), body, session.getRequestedServerNames().toString());
  }

  private PostResult post(SSLServerSocket listener) throws Exception {
    return post(listener, tls::connector);
  }

  private PostResult post(
      SSLServerSocket listener, Function<DnsResolver, PublicConnector> connector) throws Exception {
    int port = listener.getLocalPort();
    var rules = new PostRules(LoopbackTls.urls(Set.of(port)), Duration.ofSeconds(15));
    var names = new ScriptedNames().answer(NAME, "127.0.0.1");
    var poster = new PostClient(connector.apply(names), () -> rules);
    var done = new CompletableFuture<PostResult>();
    try (var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
      EventLoop loop = group.next();
      String url = "https://" + NAME + ":" + port + "/in?a=b";
      loop.execute(
          () -> {
            var _ = poster.post(url, List.of(), body(), loop, done::complete);
          });
      return done.get(SECONDS_MAX, TimeUnit.SECONDS);
    }
  }

  private static byte[] body() {
    byte[] body = new byte[BODY_BYTES];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) (i * 31 + i / 256);
    }
    return body;
  }

  @Test
  void theNameIsSentInTlsAndInTheRequest() throws Exception {
    try (SSLServerSocket listener = tls.listen(NAME)) {
      var seen = answerOnce(listener);
      assertThat(post(listener)).isEqualTo(new PostResult.Answered(202, Duration.ZERO));
      Seen saw = seen.get(SECONDS_MAX, TimeUnit.SECONDS);
      assertThat(saw.head())
          .startsWith("POST /in?a=b HTTP/1.1\r\nhost: " + NAME + ":" + listener.getLocalPort())
          .contains("\r\ncontent-length: " + BODY_BYTES + "\r\n");
      assertThat(saw.body().equals(new String(body(), ISO_8859_1))).isTrue();
      assertThat(saw.serverName()).contains(NAME);
    }
  }

  @Test
  void aServerWithAnotherNameGetsNothing() throws Exception {
    try (SSLServerSocket listener = tls.listen("other.example")) {
      var seen = answerOnce(listener);
      assertThat(post(listener)).isEqualTo(new PostResult.Failed(FetchOutcome.TLS_FAILED));
      assertThat(seen).failsWithin(Duration.ofSeconds(SECONDS_MAX));
    }
  }

  /** A company's authority is added for webhooks; without it, TLS is what failed. */
  @Test
  void theAuthoritiesOfTheSettingsAreTrusted() throws Exception {
    var other = new LoopbackTls(SslContext.defaultClientProvider());
    try (SSLServerSocket listener = tls.listen(NAME)) {
      var _ = answerOnce(listener);
      assertThat(post(listener, other::connector))
          .isEqualTo(new PostResult.Failed(FetchOutcome.TLS_FAILED));
      var _ = answerOnce(listener);
      assertThat(post(listener, names -> other.connector(names, tls::settings)))
          .isEqualTo(new PostResult.Answered(202, Duration.ZERO));
    }
  }
}
