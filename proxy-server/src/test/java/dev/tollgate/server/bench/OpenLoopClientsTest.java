package dev.tollgate.server.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients of benches, when a connection is not what it was. */
class OpenLoopClientsTest {
  private static final String ANSWER =
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  @Test
  void aConnectionThatEndedBeforeATickDoesNotEndTheOthersToo() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Thread answering = Thread.ofVirtual().start(() -> serve(server));
      var address = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
      try (var clients = new OpenLoopClients(address, "key", "model", 2)) {
        long began = System.nanoTime();
        while (clients.broken() == 0) {
          assertThat(System.nanoTime() - began).isLessThan(10_000_000_000L);
          assertThat(NEVER.await(5, TimeUnit.MILLISECONDS)).isFalse();
        }
        OpenLoopClients.Figures figures = clients.ask(50, 1);
        assertThat(figures.served).isPositive();
        assertThat(figures.others).isEmpty();
        assertThat(clients.broken()).isEqualTo(1);
      }
      answering.join();
    }
  }

  /** Ends the first connection at once, and answers on the second whatever is asked. */
  private static void serve(ServerSocket server) {
    try {
      server.accept().close();
      try (Socket second = server.accept()) {
        InputStream in = second.getInputStream();
        byte[] request = new byte[4_096];
        while (in.read(request) > 0) {
          second.getOutputStream().write(ANSWER.getBytes(US_ASCII));
        }
      }
    } catch (IOException e) {
      assertThat(server.isClosed()).as(e.toString()).isTrue();
    }
  }
}
