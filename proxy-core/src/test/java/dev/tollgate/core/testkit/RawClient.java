package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Client that writes and reads raw bytes on a socket, for tests of the exact bytes on the wire. It
 * reads only on request, which makes stalled readers possible. Each wait has a deadline.
 */
public final class RawClient implements AutoCloseable {
  private static final int HEAD_BYTES_MAX = 64 * 1024;

  private final Socket socket;
  private final ByteQueue pending = new ByteQueue();
  private Duration within = Deadline.USUAL;
  private @Nullable PeerClose peerClose;
  private @Nullable BiConsumer<String, RawResponse> watcher;
  private @Nullable String target;

  private RawClient(Socket socket) {
    this.socket = socket;
  }

  /** Connects to a port on 127.0.0.1. */
  public static RawClient connect(int port) {
    return connect(new Socket(), port);
  }

  /** Connects with a small receive buffer, so that the sender notices a stalled reader soon. */
  public static RawClient connectNarrow(int port, int receiveBufferBytes) {
    Socket socket = new Socket();
    io(() -> socket.setReceiveBufferSize(receiveBufferBytes));
    return connect(socket, port);
  }

  /** Wraps a socket that is connected already, such as a TLS one. */
  public static RawClient over(Socket connected) {
    io(() -> connected.setTcpNoDelay(true));
    return new RawClient(connected);
  }

  private static RawClient connect(Socket socket, int port) {
    io(() -> socket.connect(new InetSocketAddress(Loopback.ADDRESS, port), 10_000));
    return over(socket);
  }

  /** Changes the timeout of later reads. */
  public RawClient within(Duration each) {
    within = each;
    return this;
  }

  /**
   * Passes each response to an observer, with its request target if that is known: the request was
   * sent in one write, with no other before its response.
   */
  public RawClient watched(BiConsumer<String, RawResponse> by) {
    watcher = by;
    return this;
  }

  /** Sends text as UTF-8 in one write. */
  public RawClient send(String text) {
    return send(text.getBytes(UTF_8));
  }

  /** Sends bytes in one write. */
  public RawClient send(byte[] bytes) {
    if (watcher != null) {
      target = asked(bytes);
    }
    io(() -> socket.getOutputStream().write(bytes));
    return this;
  }

  /**
   * Returns the target of bytes that are one request; otherwise the previous target still counts.
   */
  private @Nullable String asked(byte[] bytes) {
    String begun = new String(bytes, 0, Math.min(bytes.length, HEAD_BYTES_MAX), ISO_8859_1);
    String[] requests = begun.split(" HTTP/1\\.1\r\n", -1);
    if (requests.length == 1) {
      return target;
    }
    String[] words = requests[0].split(" ", -1);
    boolean isAlone = requests.length == 2 && words.length == 2 && target == null;
    return isAlone && !words[0].equals("HEAD") ? words[1] : null;
  }

  /** Sends bytes in writes of {@code bytesPerWrite} each. */
  public RawClient sendSplit(int bytesPerWrite, byte[] bytes) {
    for (int at = 0; at < bytes.length; at += bytesPerWrite) {
      send(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + bytesPerWrite)));
    }
    return this;
  }

  /** Sends a POST of JSON with the headers a request needs, further header lines, and the body. */
  public RawClient post(String target, String json, String... headerLines) {
    byte[] body = json.getBytes(UTF_8);
    StringBuilder head = new StringBuilder("POST " + target + " HTTP/1.1\r\nHost: localhost\r\n");
    head.append("Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n");
    for (String line : headerLines) {
      head.append(line).append("\r\n");
    }
    byte[] start = head.append("\r\n").toString().getBytes(ISO_8859_1);
    byte[] all = Arrays.copyOf(start, start.length + body.length);
    System.arraycopy(body, 0, all, start.length, body.length);
    return send(all);
  }

  /** Sends a GET with the headers a request needs and further header lines. */
  public RawClient get(String target, String... headerLines) {
    StringBuilder head = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n");
    for (String line : headerLines) {
      head.append(line).append("\r\n");
    }
    return send(head.append("\r\n").toString());
  }

  /**
   * Reads one whole response, interim ones included; fails if the connection ends within it. Of an
   * event stream that broke off, the last chunk may be missing.
   */
  public RawResponse readResponse() {
    return readResponse(false);
  }

  /** Reads one whole response to a HEAD request. */
  public RawResponse readHeadResponse() {
    return readResponse(true);
  }

  private RawResponse readResponse(boolean toHead) {
    Deadline deadline = Deadline.in(within, "a whole response");
    WireMessageDecoder<RawResponse> cut = WireMessageDecoder.response(toHead);
    while (true) {
      boolean ended = peerClose != null;
      Optional<RawResponse> response = cut.decode(pending.array(), pending.size(), ended);
      response = response.isEmpty() && ended ? cut.truncated() : response;
      if (response.isPresent()) {
        pending.drop(response.get().rawBytes());
        show(response.get());
        return response.get();
      }
      if (ended) {
        throw new AssertionError("ended by " + peerClose + " within a response: " + pending());
      }
      var _ = fill(deadline);
    }
  }

  private void show(RawResponse response) {
    String asked = target;
    target = null;
    if (watcher != null && asked != null) {
      watcher.accept(asked, response);
    }
  }

  /** Reads up to and including the next occurrence of {@code mark}; one character per byte. */
  public String readUntil(String mark) {
    Deadline deadline = Deadline.in(within, "'" + mark + "'");
    while (true) {
      String all = pending();
      int at = all.indexOf(mark);
      if (at >= 0) {
        pending.drop(at + mark.length());
        return all.substring(0, at + mark.length());
      }
      if (!fill(deadline)) {
        throw new AssertionError("ended by " + peerClose + " before '" + mark + "': " + all);
      }
    }
  }

  /** Reads at least this many bytes of what was not taken yet, without taking them. */
  public int peekAtLeast(int bytes) {
    Deadline deadline = Deadline.in(within, bytes + " bytes");
    while (pending.size() < bytes) {
      if (!fill(deadline)) {
        throw new AssertionError("ended by " + peerClose + " after " + pending.size() + " bytes");
      }
    }
    return pending.size();
  }

  /** Returns the number of bytes that have arrived and were not taken; does not wait. */
  public int arrived() {
    int[] waiting = new int[1];
    io(() -> waiting[0] = socket.getInputStream().available());
    return pending.size() + waiting[0];
  }

  /** Reads until the peer ends the connection and returns all bytes not yet taken. */
  public byte[] readToEnd() {
    Deadline deadline = Deadline.in(within, "the end of the connection");
    while (fill(deadline)) {
      // continues to the end
    }
    byte[] all = pending.toByteArray();
    pending.reset();
    return all;
  }

  /** Reads until the peer ends the connection; returns how and when. */
  public PeerClose awaitClosed() {
    Deadline deadline = Deadline.in(within, "the peer to close");
    while (peerClose == null) {
      fill(deadline);
    }
    return peerClose;
  }

  /** Closes the sending side (FIN); reading stays possible. */
  public RawClient halfClose() {
    io(socket::shutdownOutput);
    return this;
  }

  /** Aborts the connection: RST. */
  public void reset() {
    io(
        () -> {
          socket.setSoLinger(true, 0);
          socket.close();
        });
  }

  /** Returns the local port, which identifies the connection in a server's log or capture. */
  public int localPort() {
    return socket.getLocalPort();
  }

  @Override
  public void close() {
    io(socket::close);
  }

  /** Reads once; false at the end of the connection. */
  private boolean fill(Deadline deadline) {
    if (peerClose != null) {
      return false;
    }
    byte[] chunk = new byte[64 * 1024];
    try {
      socket.setSoTimeout(deadline.leftMillis());
      int count = socket.getInputStream().read(chunk);
      if (count < 0) {
        peerClose = new PeerClose(PeerClose.How.FIN, System.nanoTime());
        return false;
      }
      pending.write(chunk, 0, count);
      return true;
    } catch (SocketTimeoutException _) {
      throw new AssertionError(deadline.missed().getMessage() + "; so far: " + pending());
    } catch (SocketException _) {
      peerClose = new PeerClose(PeerClose.How.RST, System.nanoTime());
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String pending() {
    return pending.toString(ISO_8859_1);
  }

  private static void io(Io step) {
    try {
      step.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Io {
    void run() throws IOException;
  }
}
