package dev.tollgate.core.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * Port on 127.0.0.1 where connecting takes forever: its listener never accepts, and its backlog is
 * full, so that the kernel answers no further SYN.
 */
public final class FullBacklog implements AutoCloseable {
  private static final int CONNECT_MILLIS = 300;
  private static final int QUEUED_MAX = 64;

  private final ServerSocket listener;
  private final List<Socket> queued = new ArrayList<>();

  private FullBacklog(ServerSocket listener) {
    this.listener = listener;
  }

  /** Listens, and connects until a connection stays pending. */
  public static FullBacklog fill() {
    try {
      FullBacklog full = new FullBacklog(new ServerSocket(0, 1, Loopback.ADDRESS));
      while (full.takesAnother()) {
        if (full.queued.size() > QUEUED_MAX) {
          throw new AssertionError("the queue of connections to be accepted never fills");
        }
      }
      return full;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean takesAnother() throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(Loopback.ADDRESS, port()), CONNECT_MILLIS);
      queued.add(socket);
      return true;
    } catch (SocketTimeoutException _) {
      socket.close();
      return false;
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() {
    try {
      for (Socket socket : queued) {
        socket.close();
      }
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
