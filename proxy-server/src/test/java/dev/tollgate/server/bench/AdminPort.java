package dev.tollgate.server.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A free port for the measured gateway's admin listener, chosen once. */
final class AdminPort {
  static final int PORT = free();
  static final String URL = "http://127.0.0.1:" + PORT;

  private AdminPort() {}

  private static int free() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
