package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Accepted connection of a {@link ScriptedUpstream}: the steps of a script in the order written,
 * and what the peer did meanwhile. It is read all the time, so the peer's end is noticed in every
 * step.
 */
public final class ScriptedConnection {
  private static final Duration FOREVER = Duration.ofHours(1);

  private final Socket socket;
  private final Function<String, Gate> gates;
  private final Consumer<CapturedRequest> onRequest;
  private final InputStream input;
  private final Inbound inbound = new Inbound();
  private final List<CapturedRequest> requests = new CopyOnWriteArrayList<>();

  ScriptedConnection(
      Socket socket, Function<String, Gate> gates, Consumer<CapturedRequest> onRequest)
      throws IOException {
    this.socket = socket;
    this.input = socket.getInputStream(); // a script may close the socket before anyone reads
    this.gates = gates;
    this.onRequest = onRequest;
  }

  // Steps of a script

  /** Waits for a whole request. If the peer disconnects before, the script ends here. */
  public ScriptedConnection expectRequest() throws InterruptedException {
    return expectRequest(request -> {});
  }

  /** Waits for a whole request and checks it; a failed check fails the test when it closes. */
  public ScriptedConnection expectRequest(Consumer<CapturedRequest> check)
      throws InterruptedException {
    CapturedRequest request =
        inbound.take(WireMessageDecoder.request(), Deadline.in(FOREVER, "a request"));
    requests.add(request);
    onRequest.accept(request);
    check.accept(request);
    return this;
  }

  /** Waits for the head of a request only, as a provider does that replies before the body. */
  public ScriptedConnection expectHead() throws InterruptedException {
    CapturedRequest head =
        inbound.take(WireMessageDecoder.requestHead(), Deadline.in(FOREVER, "a head"));
    requests.add(head);
    onRequest.accept(head);
    return this;
  }

  /** Sends text as UTF-8 in one write. */
  public ScriptedConnection send(String text) {
    return send(text.getBytes(UTF_8));
  }

  /** Sends bytes in one write. */
  public ScriptedConnection send(byte[] bytes) {
    write(bytes, 0, bytes.length);
    return this;
  }

  /** Sends text in writes of {@code bytesPerWrite} each. */
  public ScriptedConnection sendSplit(int bytesPerWrite, String text) {
    return sendSplit(bytesPerWrite, text.getBytes(UTF_8));
  }

  /** Sends bytes in writes of {@code bytesPerWrite} each. */
  public ScriptedConnection sendSplit(int bytesPerWrite, byte[] bytes) {
    for (int at = 0; at < bytes.length; at += bytesPerWrite) {
      write(bytes, at, Math.min(bytesPerWrite, bytes.length - at));
    }
    return this;
  }

  /** Sends bytes in writes of random length; print the generator's seed in the test. */
  public ScriptedConnection sendSplit(RandomGenerator random, byte[] bytes) {
    int at = 0;
    while (at < bytes.length) {
      int count = Math.min(bytes.length - at, 1 + random.nextInt(1 + random.nextInt(512)));
      write(bytes, at, count);
      at += count;
    }
    return this;
  }

  /** Waits until the test opens the gate of this name. */
  public ScriptedConnection gate(String name) throws InterruptedException {
    gates.apply(name).pass(FOREVER);
    return this;
  }

  /** Does nothing until the peer disconnects or the upstream is closed. */
  public ScriptedConnection stall() throws InterruptedException {
    inbound.awaitEnd(Deadline.in(FOREVER, "the end of a stall"));
    return this;
  }

  /**
   * Stops reading, so that the peer's sending comes to a halt; its end is not noticed meanwhile.
   */
  public ScriptedConnection holdReading() {
    inbound.hold(true);
    return this;
  }

  /** Resumes reading after {@link #holdReading}. */
  public ScriptedConnection resumeReading() {
    inbound.hold(false);
    return this;
  }

  /** Closes the sending side (FIN) and keeps reading. */
  public ScriptedConnection halfClose() {
    return onSocket(Socket::shutdownOutput);
  }

  /** Closes both sides: FIN. */
  public void close() {
    inbound.abandon();
    onSocket(
        s -> {
          if (!s.isClosed() && !s.isOutputShutdown()) {
            s.shutdownOutput();
          }
          s.close();
        });
  }

  /** Aborts the connection: RST. */
  public void reset() {
    inbound.abandon();
    onSocket(
        s -> {
          s.setSoLinger(true, 0);
          s.close();
        });
  }

  // Queries of a test

  /** The requests taken from this connection so far. */
  public List<CapturedRequest> requests() {
    return List.copyOf(requests);
  }

  /** The last request taken. */
  public CapturedRequest request() {
    return requests.getLast();
  }

  /** Every byte received so far, taken or not. */
  public byte[] received() {
    return inbound.bytes();
  }

  /** Waits until the peer ends the connection; returns how and when. */
  public PeerClose awaitClosed(Duration within) throws InterruptedException {
    return inbound.awaitPeerClose(Deadline.in(within, "the peer to close"));
  }

  // Reader thread

  void readAll() throws InterruptedException, IOException {
    inbound.readAll(input);
  }

  private void write(byte[] bytes, int from, int count) {
    onSocket(s -> s.getOutputStream().write(bytes, from, count));
  }

  private ScriptedConnection onSocket(SocketStep step) {
    try {
      step.run(socket);
    } catch (java.net.SocketException _) {
      throw new Inbound.PeerDisconnected();
    } catch (IOException unexpected) {
      throw new UncheckedIOException(unexpected);
    }
    return this;
  }

  private interface SocketStep {
    void run(Socket socket) throws IOException;
  }
}
