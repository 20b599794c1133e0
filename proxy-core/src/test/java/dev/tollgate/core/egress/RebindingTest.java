package dev.tollgate.core.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.UrlRules;
import dev.tollgate.core.testkit.ScriptedNames;
import dev.tollgate.core.upstream.SocketConnector;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/**
 * Name that resolves to one host when it is checked and to another when it is called, over real
 * sockets.
 */
class RebindingTest {
  private static final String NAME = "rebind.example";
  private static final int SECONDS_MAX = 20;
  private static final byte[] IMAGE =
      "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n\u0089PNG\r\n\u001a\n........"
          .getBytes(StandardCharsets.ISO_8859_1);

  private static X509Bundle root() throws Exception {
    return new CertificateBuilder()
        .ecp256()
        .subject("CN=Tests")
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
  }

  /** Answers each connection with the image. */
  private static void serve(ServerSocket listener) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  try (Socket socket = listener.accept()) {
                    InputStream in = socket.getInputStream();
                    byte[] request = new byte[4_096];
                    if (in.read(request) > 0) {
                      socket.getOutputStream().write(IMAGE);
                    }
                  }
                }
              } catch (IOException ended) {
                assertThat(listener.isClosed()).as("%s", ended).isTrue();
              }
            });
  }

  private static void count(ServerSocket listener, AtomicInteger connections) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  Socket accepted = listener.accept();
                  connections.incrementAndGet();
                  accepted.close();
                }
              } catch (IOException ended) {
                assertThat(listener.isClosed()).as("%s", ended).isTrue();
              }
            });
  }

  @Test
  void theSecondAddressGetsNoConnection() throws Exception {
    X509Bundle root = root();
    X509Bundle identity =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=" + NAME)
            .addSanDnsName(NAME)
            .buildIssuedBy(root);
    SSLContext server = SSLContext.getInstance("TLS");
    server.init(identity.toKeyManagerFactory().getKeyManagers(), null, null);
    SslContext client =
        SslContextBuilder.forClient().trustManager(root.toTrustManagerFactory()).build();
    var connections = new AtomicInteger();
    try (ServerSocket good =
            server
                .getServerSocketFactory()
                .createServerSocket(0, 8, InetAddress.ofLiteral("127.0.0.1"));
        ServerSocket inside =
            new ServerSocket(good.getLocalPort(), 8, InetAddress.ofLiteral("127.0.0.2"));
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
      serve(good);
      count(inside, connections);
      var names = new ScriptedNames().answer(NAME, "127.0.0.1", "127.0.0.2");
      ImageFetchClient fetcher = fetcher(names, client, good.getLocalPort());
      String url = "https://" + NAME + ":" + good.getLocalPort() + "/";

      assertThat(fetch(fetcher, group.next(), url)).isInstanceOf(FetchResult.Image.class);
      for (int again = 0; again < 3; again++) {
        assertThat(fetch(fetcher, group.next(), url))
            .isInstanceOfSatisfying(
                FetchResult.Failed.class,
                failed -> assertThat(failed.outcome()).isEqualTo(FetchOutcome.BLOCKED));
      }
      try (var probe = new Socket(inside.getInetAddress(), inside.getLocalPort())) {
        assertThat(probe.getInputStream().read()).as("it counts").isEqualTo(-1);
      }
    }
    assertThat(connections).as("the probe alone, behind all others").hasValue(1);
  }

  private static ImageFetchClient fetcher(DnsResolver names, SslContext tls, int port) {
    var urls =
        new UrlRules(
            Set.of(port),
            Set.of(),
            CidrSet.parse(List.of("127.0.0.1")),
            CidrSet.NONE,
            Set.of(),
            CidrSet.NONE);
    var rules = new FetchRules(urls, 1_000, Duration.ofSeconds(15), 3);
    var connector =
        new SocketConnector(
            NioSocketChannel::new,
            DefaultAddressResolverGroup.INSTANCE,
            tls,
            PooledByteBufAllocator.DEFAULT);
    return new ImageFetchClient(
        new PublicConnector(new PublicAddressResolver(names), connector),
        () -> rules,
        (outcome, bytes, took) -> {});
  }

  private static FetchResult fetch(ImageFetchClient fetcher, EventLoop loop, String url)
      throws Exception {
    var done = new CompletableFuture<FetchResult>();
    loop.execute(
        () ->
            fetcher.fetch(
                FetchScenario.ORG, url, "input_images[0]", loop, _ -> true, done::complete));
    return done.get(SECONDS_MAX, TimeUnit.SECONDS);
  }
}
