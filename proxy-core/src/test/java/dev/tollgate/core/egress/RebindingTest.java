package dev.tollgate.core.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.ScriptedNames;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
    var tls = new LoopbackTls(SslContext.defaultClientProvider());
    var connections = new AtomicInteger();
    try (ServerSocket good = tls.listen(NAME);
        ServerSocket inside =
            new ServerSocket(good.getLocalPort(), 8, InetAddress.ofLiteral("127.0.0.2"));
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
      serve(good);
      count(inside, connections);
      var names = new ScriptedNames().answer(NAME, "127.0.0.1", "127.0.0.2");
      var urls = LoopbackTls.urls(Set.of(good.getLocalPort()));
      var rules = new FetchRules(urls, 1_000, Duration.ofSeconds(15), 3);
      var fetcher =
          new ImageFetchClient(tls.connector(names), () -> rules, (outcome, bytes, took) -> {});
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
