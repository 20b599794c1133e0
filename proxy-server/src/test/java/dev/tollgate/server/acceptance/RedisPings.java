package dev.tollgate.server.acceptance;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** PINGs of one connection to Redis, one after the other, and how long each answer took. */
final class RedisPings implements AutoCloseable {
  private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int PONG_BYTES = "+PONG\r\n".length();
  private static final Duration PAUSE = Duration.ofMillis(2);

  private final Socket socket;
  private final Thread thread = new Thread(this::run, "redis-pings");
  private final List<Ping> pings = new ArrayList<>();
  private final CountDownLatch ending = new CountDownLatch(1);

  private record Ping(long askedNanos, long givenNanos) {
    long tookNanos() {
      return givenNanos - askedNanos;
    }
  }

  private RedisPings(Socket socket) {
    this.socket = socket;
  }

  static RedisPings to(int port) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    var pings = new RedisPings(socket);
    pings.thread.start();
    return pings;
  }

  private void run() {
    try (InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream()) {
      do {
        long asked = System.nanoTime();
        out.write(PING);
        in.readNBytes(PONG_BYTES);
        remember(new Ping(asked, System.nanoTime()));
      } while (!ending.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (IOException | InterruptedException e) {
      remember(new Ping(0, Long.MAX_VALUE)); // nothing is known from here on
    }
  }

  private synchronized void remember(Ping ping) {
    pings.add(ping);
  }

  /** True if a PING took longer than that and was in flight in a time, or just before. */
  synchronized boolean wasLate(long fromNanos, long toNanos, Duration than) {
    long margin = than.multipliedBy(4).toNanos();
    return pings.stream()
        .filter(ping -> ping.tookNanos() > than.toNanos())
        .anyMatch(
            ping ->
                ping.askedNanos() - toNanos <= 0 && ping.givenNanos() + margin - fromNanos >= 0);
  }

  @Override
  public synchronized String toString() {
    long longest = pings.stream().mapToLong(Ping::tookNanos).max().orElse(0);
    long late = pings.stream().filter(ping -> ping.tookNanos() > 50_000_000).count();
    return "%d PINGs, %d of them above 50 ms, the longest %d ms"
        .formatted(pings.size(), late, longest / 1_000_000);
  }

  @Override
  public void close() throws IOException {
    ending.countDown();
    socket.close();
  }
}
