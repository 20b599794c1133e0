package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.testkit.OpenAiWire;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Provider of images that stores nothing of a request, and answers when the test releases it. */
final class UnresponsiveProvider implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");
  private static final byte[] REPLY = OpenAiWire.images(3, 4).getBytes(ISO_8859_1);

  private final ServerSocket listener;
  private final Semaphore pending = new Semaphore(0);
  private volatile CountDownLatch gate = new CountDownLatch(0);

  UnresponsiveProvider() throws IOException {
    listener = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::acceptAll);
  }

  String baseUrl() {
    return "http://127.0.0.1:" + listener.getLocalPort() + "/v1";
  }

  /** Stops answering until {@link #answer}. */
  void hold() {
    pending.drainPermits();
    gate = new CountDownLatch(1);
  }

  void answer() {
    gate.countDown();
  }

  /** Returns the number of complete requests since it stopped answering. */
  int pending() {
    return pending.availablePermits();
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        InputStream in = new BufferedInputStream(socket.getInputStream(), 64 * 1024)) {
      while (true) {
        Matcher length = LENGTH.matcher(head(in));
        in.skipNBytes(length.find() ? Long.parseLong(length.group(1)) : 0);
        CountDownLatch until = gate;
        pending.release();
        until.await();
        socket.getOutputStream().write(REPLY);
      }
    } catch (IOException | InterruptedException e) {
      // The gateway has closed the connection, or the test has ended.
    }
  }

  private static String head(InputStream in) throws IOException {
    var head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException();
      }
      head.write(b);
    }
    return head.toString(ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    gate.countDown();
    listener.close();
  }
}
