package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Provider that skips the body of every request and gives one answer: fast for large bodies. */
final class SkimmingProvider implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("content-length: (\\d+)");

  private final ServerSocket listener;
  private final byte[] reply;

  SkimmingProvider(String reply) {
    this.reply = reply.getBytes(ISO_8859_1);
    try {
      this.listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    Thread.ofVirtual().start(this::acceptAll);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void acceptAll() {
    while (true) {
      try {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> answerAll(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void answerAll(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
      while (true) {
        in.skipNBytes(bodyBytes(in));
        socket.getOutputStream().write(reply);
      }
    } catch (IOException closed) {
      // the gateway closed its connection
    }
  }

  private static long bodyBytes(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed");
      }
      head.append((char) next);
    }
    Matcher length = LENGTH.matcher(head);
    if (!length.find()) {
      throw new IOException("no length: " + head);
    }
    return Long.parseLong(length.group(1));
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
