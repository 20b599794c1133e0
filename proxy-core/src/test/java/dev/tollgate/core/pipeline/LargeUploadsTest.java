package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An upload that is too large is answered with a 413 that its client receives. */
final class LargeUploadsTest {
  private static final int BYTES = 30 * 1024 * 1024;
  private static final String CHAT = "/v1/chat/completions";

  private static String head(TestGateway gateway, String... more) {
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + gateway.keys.authorization()
        + "\r\n"
        + String.join("\r\n", more)
        + "\r\n\r\n";
  }

  /** Reads while it sends, as curl does. */
  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void clientThatReadsWhileItSends(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        SocketChannel socket = SocketChannel.open()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port));
      socket.write(ByteBuffer.wrap(head(gateway, "Content-Length: " + BYTES).getBytes(US_ASCII)));
      socket.configureBlocking(false);
      ByteBuffer out = ByteBuffer.allocate(BYTES);
      ByteBuffer in = ByteBuffer.allocate(64 * 1024);
      while (in.position() == 0) {
        socket.write(out);
        socket.read(in);
      }
      assertThat(new String(in.array(), 0, in.position(), US_ASCII)).startsWith("HTTP/1.1 413 ");
      assertThat(gateway.service.calls).isEmpty();
    }
  }

  /** Sends all before it reads, as blocking clients do. */
  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void clientThatSendsAllBeforeItReads(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port)) {
      try {
        socket
            .getOutputStream()
            .write(head(gateway, "Content-Length: " + BYTES).getBytes(US_ASCII));
        byte[] part = new byte[256 * 1024];
        for (int sent = 0; sent < BYTES; sent += part.length) {
          socket.getOutputStream().write(part);
        }
      } catch (SocketException _) {
        // the gateway would not take it all: what it said must be readable still
      }
      InputStream in = socket.getInputStream();
      assertThat(new String(in.readNBytes(13), US_ASCII)).isEqualTo("HTTP/1.1 413 ");
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void clientOfThePlatform(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        HttpClient client = HttpClient.newHttpClient()) {
      String key = gateway.keys.authorization();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port + CHAT))
              .version(HttpClient.Version.HTTP_1_1)
              .header("Content-Type", "application/json")
              .header("Authorization", key.substring(key.indexOf(' ') + 1))
              .timeout(Duration.ofSeconds(20))
              .POST(BodyPublishers.ofByteArray(new byte[BYTES]))
              .build();
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(413);
      assertThat(response.body()).contains("request_too_large");
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void chunkedBodyCrossingTheLimit(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient client = gateway.connect()) {
      client.send(head(gateway, "Transfer-Encoding: chunked"));
      String chunk = "100000\r\n" + "x".repeat(0x100000) + "\r\n";
      for (int i = 0; i < 10; i++) {
        client.send(chunk);
      }
      client.send("1\r\nx\r\n");
      RawResponse response = client.readResponse();
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.header("connection")).isEqualTo("close");
      assertThat(gateway.inflightBytes.held()).isZero();
      assertThat(gateway.service.calls).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void clientThatExpectsContinueIsAnsweredBeforeItSends(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient client = gateway.connect()) {
      client.send(head(gateway, "Content-Length: " + BYTES, "Expect: 100-continue"));
      RawResponse response = client.readResponse();
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.header("connection")).isEqualTo("close");
    }
  }
}
