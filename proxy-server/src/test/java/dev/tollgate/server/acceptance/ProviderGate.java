package dev.tollgate.server.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Proxy between a node and a provider that a test controls: while it is shut, connections are
 * refused; while it hangs, they are accepted and no byte passes. The port stays bound meanwhile.
 */
final class ProviderGate implements AutoCloseable {
  private final int provider;
  private final SocketChannel held; // bound and not listening: connections are refused
  private final int port;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile ServerSocket listener;
  private volatile Thread accepting;
  private volatile CountDownLatch passable = new CountDownLatch(0);
  private volatile boolean shut;

  /** Kind of an outage. */
  enum Outage {
    REFUSING,
    HANGING
  }

  private ProviderGate(int provider) throws IOException {
    this.provider = provider;
    this.held = SocketChannel.open().setOption(StandardSocketOptions.SO_REUSEADDR, true);
    held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    this.port = held.socket().getLocalPort();
    this.listener = listen();
    this.accepting = accept(listener);
  }

  /** Opens a proxy to the listener on this port. */
  static ProviderGate to(int port) {
    try {
      return new ProviderGate(port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String baseUrl() {
    return "http://127.0.0.1:" + port + "/v1";
  }

  void begin(Outage outage) throws IOException, InterruptedException {
    switch (outage) {
      case REFUSING -> {
        shut = true;
        listener.close();
        accepting.join(); // a blocked accept() delays the close: the socket listens until then
        resetAll();
      }
      case HANGING -> passable = new CountDownLatch(1);
    }
  }

  /** Ends the outage; blocked connections continue. */
  void end() throws IOException {
    passable.countDown();
    shut = false;
    if (listener.isClosed()) {
      listener = listen();
      accepting = accept(listener);
    }
  }

  private ServerSocket listen() throws IOException {
    return new ServerSocket(port, 1024, InetAddress.getLoopbackAddress());
  }

  private Thread accept(ServerSocket at) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  Socket node = at.accept();
                  Thread.ofVirtual().start(() -> open(node));
                }
              } catch (IOException closed) {
                // the outage begins, or the test has ended
              }
            });
  }

  private void open(Socket node) {
    try {
      node.setTcpNoDelay(true);
      Socket there = new Socket(InetAddress.getLoopbackAddress(), provider);
      there.setTcpNoDelay(true);
      sockets.addAll(List.of(node, there));
      if (shut) { // it was being opened while the others were reset, and would survive the outage
        reset(node);
        reset(there);
      }
      Thread.ofVirtual().start(() -> relay(there, node));
      relay(node, there);
    } catch (IOException gone) {
      reset(node);
    }
  }

  private void relay(Socket from, Socket to) {
    byte[] buffer = new byte[16 * 1024];
    try {
      int bytes = from.getInputStream().read(buffer);
      while (bytes >= 0) {
        passable.await();
        to.getOutputStream().write(buffer, 0, bytes);
        bytes = from.getInputStream().read(buffer);
      }
      to.close();
      from.close();
    } catch (IOException cut) {
      reset(from);
      reset(to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private void resetAll() {
    sockets.forEach(ProviderGate::reset);
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException alreadyClosed) {
      // the provider is gone
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    held.close();
    passable.countDown();
    resetAll();
  }
}
