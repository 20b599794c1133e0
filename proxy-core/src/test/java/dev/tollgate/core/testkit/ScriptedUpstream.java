package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback server that follows a script on each connection: {@code upstream.onConnection(c ->
 * c.expectRequest().send(head).sendSplit(1, body).gate("a").close())}. Progress depends on gates
 * and on the peer, never on time.
 */
public final class ScriptedUpstream implements AutoCloseable {
  private final ServerSocket listener;
  private final List<Script> scripts = new CopyOnWriteArrayList<>();
  private final AwaitableList<ScriptedConnection> connections = new AwaitableList<>("connection");
  private final AwaitableList<CapturedRequest> requests = new AwaitableList<>("request");
  private final Map<String, Gate> gates = new ConcurrentHashMap<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  private ScriptedUpstream(ServerSocket listener) {
    this.listener = listener;
  }

  /** Script of one connection; runs on a thread of its own and may block. */
  @FunctionalInterface
  public interface Script {
    void run(ScriptedConnection connection) throws Exception;
  }

  /** A server without a script yet, on a free port. */
  public static ScriptedUpstream start() {
    try {
      ScriptedUpstream upstream = new ScriptedUpstream(new ServerSocket(0, 1024, Loopback.ADDRESS));
      Thread.ofVirtual().name("scripted-upstream").start(upstream::acceptAll);
      return upstream;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A server that answers every request on every connection with these bytes. */
  public static ScriptedUpstream replying(byte[] response) {
    return start()
        .onConnection(
            c -> {
              while (true) {
                c.expectRequest().send(response);
              }
            });
  }

  /** A server that answers every request on every connection with this text. */
  public static ScriptedUpstream replying(String response) {
    return replying(response.getBytes(UTF_8));
  }

  /** A server that answers the first request of each connection with these bytes, then closes. */
  public static ScriptedUpstream replyingThenClosing(byte[] response) {
    return start().onConnection(c -> c.expectRequest().send(response).close());
  }

  /**
   * Returns a loopback port without a listener, below the ephemeral range that begins at 32768, so
   * that the system does not assign it meanwhile.
   */
  public static int refusedPort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(10_000, 32_768);
      try (var _ = new ServerSocket(port, 1, Loopback.ADDRESS)) {
        return port;
      } catch (BindException _) {
        // The port is in use.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Adds the script of the next connection. The last script serves all further connections too. */
  public ScriptedUpstream onConnection(Script script) {
    scripts.add(script);
    return this;
  }

  public int port() {
    return listener.getLocalPort();
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(listener.getInetAddress(), port());
  }

  /** {@code http://127.0.0.1:port/v1}. */
  public String baseUrl() {
    return "http://127.0.0.1:" + port() + "/v1";
  }

  /** Lets every script pass the gate of this name, now and later. */
  public void open(String gate) {
    gate(gate).open();
  }

  /** Waits until a script is at, or has passed, the gate of this name. */
  public void awaitGate(String gate) throws InterruptedException {
    gate(gate).awaitReached(Deadline.USUAL);
  }

  /** The n-th connection, from 0; waits for it. */
  public ScriptedConnection connection(int n) throws InterruptedException {
    return connections.await(n, Deadline.USUAL);
  }

  /** How many connections were accepted so far. */
  public int connections() {
    return connections.size();
  }

  /** The n-th request over all connections, from 0; waits for it. */
  public CapturedRequest request(int n) throws InterruptedException {
    return requests.await(n, Deadline.USUAL);
  }

  /** The requests taken so far over all connections, in the order they were taken. */
  public List<CapturedRequest> requests() {
    return requests.all();
  }

  /** Waits until the peer ends the first connection; returns how and when. */
  public PeerClose awaitClosed(Duration within) throws InterruptedException {
    return connection(0).awaitClosed(within);
  }

  /** Ends everything; fails if a script failed. */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      failures.add(e);
    }
    gates.values().forEach(Gate::open);
    connections.all().forEach(ScriptedUpstream::closeQuietly);
    threads.forEach(ScriptedUpstream::join);
    if (!failures.isEmpty()) {
      AssertionError failed =
          new AssertionError("a script of the upstream failed", failures.get(0));
      failures.stream().skip(1).forEach(failed::addSuppressed);
      throw failed;
    }
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        serve(listener.accept());
      } catch (IOException e) {
        if (!listener.isClosed()) {
          failures.add(e);
        }
      }
    }
  }

  private void serve(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    ScriptedConnection connection = new ScriptedConnection(socket, this::gate, requests::add);
    int n = connections.add(connection);
    inBackground("reader-" + n, connection::readAll);
    if (scripts.isEmpty()) {
      failures.add(new AssertionError("connection " + n + " came before any script"));
      closeQuietly(connection);
      return;
    }
    Script script = scripts.get(Math.min(n, scripts.size() - 1));
    inBackground("script-" + n, () -> script.run(connection));
  }

  private void inBackground(String name, Step step) {
    threads.add(Thread.ofVirtual().name(name).start(() -> watch(step)));
  }

  private void watch(Step step) {
    try {
      step.run();
    } catch (Inbound.PeerDisconnected _) {
      // The peer disconnected, or the test has ended: the script ends here.
    } catch (Throwable failure) {
      failures.add(failure);
    }
  }

  private Gate gate(String name) {
    return gates.computeIfAbsent(name, Gate::new);
  }

  private static void join(Thread thread) {
    try {
      if (!thread.join(Deadline.USUAL)) {
        throw new AssertionError(thread.getName() + " did not end");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeQuietly(ScriptedConnection connection) {
    try {
      connection.close();
    } catch (Inbound.PeerDisconnected _) {
      // Already closed.
    }
  }

  private interface Step {
    void run() throws Exception;
  }
}
