package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tollgate.server.acceptance.ProviderGate.Outage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProviderGateTest {
  private static final int ROUNDS = 100;
  private static final int CLIENTS = 8;
  private static final int PATIENCE_MILLIS = 10_000;

  /**
   * A connection that survived the begin of an outage was used until its end: no request failed.
   */
  @Test
  void connectionsToAShutGateAreReset() throws Exception {
    try (var provider = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        var gate = ProviderGate.to(provider.getLocalPort())) {
      Thread.ofVirtual().start(() -> takeAll(provider));
      for (int round = 0; round < ROUNDS; round++) {
        List<Socket> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(connect(gate));
        }
        gate.begin(Outage.REFUSING);
        for (Socket client : clients) {
          assertThat(isEnded(client)).as("round %d", round).isTrue();
        }
        gate.end();
      }
    }
  }

  /** The system may give an unbound port to any new connection; then the outage could not end. */
  @Test
  void thePortOfAShutGateRefusesAndStaysBound() throws Exception {
    try (var provider = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        var gate = ProviderGate.to(provider.getLocalPort())) {
      gate.begin(Outage.REFUSING);
      assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> connect(gate));
      try (var another = new Socket()) {
        another.setReuseAddress(false);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port(gate));
        assertThatExceptionOfType(BindException.class).isThrownBy(() -> another.bind(address));
      }
      gate.end();
      connect(gate).close();
    }
  }

  private static Socket connect(ProviderGate gate) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port(gate));
  }

  private static int port(ProviderGate gate) {
    return URI.create(gate.baseUrl()).getPort();
  }

  private static boolean isEnded(Socket client) throws IOException {
    try (client) {
      client.setSoTimeout(PATIENCE_MILLIS);
      return client.getInputStream().read() < 0;
    } catch (SocketTimeoutException inUse) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  private static void takeAll(ServerSocket provider) {
    List<Socket> taken = new ArrayList<>();
    try {
      while (true) {
        taken.add(provider.accept());
      }
    } catch (IOException closed) {
      taken.forEach(ProviderGateTest::close);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
