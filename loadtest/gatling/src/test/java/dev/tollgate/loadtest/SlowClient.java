package dev.tollgate.loadtest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Client with its own socket that reads little at a time and never blocks; Gatling itself reads as
 * fast as it can. Used by one virtual user, one step after another.
 */
final class SlowClient {
  private static final int RECEIVE_BUFFER_BYTES = 64 * 1024;
  private static final String HEAD_END = "\r\n\r\n";

  private final SocketChannel channel;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private final long beganNanos = System.nanoTime();
  private boolean ended;

  private SlowClient(SocketChannel channel) {
    this.channel = channel;
  }

  /** Connects and sends the request. */
  static SlowClient ask(Subject gateway, String body) {
    URI url = URI.create(gateway.url());
    if (!"http".equals(url.getScheme())) {
      throw new IllegalArgumentException("slow clients speak plain HTTP only, not " + url);
    }
    byte[] content = body.getBytes(UTF_8);
    String head =
        """
        POST %s HTTP/1.1\r
        Host: %s\r
        Authorization: Bearer %s\r
        Content-Type: application/json\r
        Content-Length: %d\r
        Connection: close\r
        \r
        """
            .formatted(
                url.getPath() + Requests.CHAT, url.getAuthority(), gateway.key(), content.length);
    try {
      SocketChannel channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
      channel.connect(new InetSocketAddress(url.getHost(), url.getPort() < 0 ? 80 : url.getPort()));
      channel.write(ByteBuffer.wrap(head.getBytes(UTF_8)));
      channel.write(ByteBuffer.wrap(content));
      channel.configureBlocking(false);
      return new SlowClient(channel);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads at most this number of available bytes. */
  SlowClient read(int bytesMax) {
    ByteBuffer buffer = ByteBuffer.allocate(bytesMax);
    try {
      if (channel.read(buffer) < 0) {
        end();
      }
    } catch (IOException _) {
      end(); // the check of the body detects an early end
    }
    received.write(buffer.array(), 0, buffer.position());
    return this;
  }

  private void end() {
    ended = true;
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean ended() {
    return ended;
  }

  int elapsedMillis() {
    return (int) ((System.nanoTime() - beganNanos) / 1_000_000);
  }

  /** Returns the first defect of the received stream, {@link StreamBody#WHOLE} if there is none. */
  String verdict(int tokens) {
    String all = received.toString(ISO_8859_1);
    int head = all.indexOf(HEAD_END);
    return head < 0 || !all.startsWith("HTTP/1.1 200 ")
        ? "no 200: " + all.lines().findFirst().orElse("nothing")
        : StreamBody.verdict(withoutChunks(all.substring(head + HEAD_END.length())), tokens);
  }

  /** Returns the body without its chunk size lines. */
  private static String withoutChunks(String chunked) {
    StringBuilder body = new StringBuilder(chunked.length());
    int at = 0;
    while (true) {
      int lineEnd = chunked.indexOf("\r\n", at);
      if (lineEnd < 0) {
        return body.toString(); // truncated
      }
      int length = Integer.parseInt(chunked.substring(at, lineEnd), 16);
      int start = lineEnd + 2;
      if (length == 0 || start + length > chunked.length()) {
        return body.toString();
      }
      body.append(chunked, start, start + length);
      at = start + length + 2;
    }
  }
}
