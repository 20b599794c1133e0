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

/**
 * PINGs on one connection to Redis, one after the other, and the times in which none was answered.
 * Such a time counts as one in which Redis is late, also if only this process had no processor: it
 * cannot tell.
 */
final class RedisPings implements AutoCloseable {
  private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int PONG_BYTES = "+PONG\r\n".length();
  private static final Duration PAUSE = Duration.ofMillis(2);

  /** Time after a late PING in which nodes may still be probing Redis. */
  private static final Duration AFTERMATH = Duration.ofMillis(200);

  private final Socket socket;
  private final Duration inTime;
  private final Thread thread = new Thread(this::run, "redis-pings");
  private final CountDownLatch ending = new CountDownLatch(1);
  private final List<Late> late = new ArrayList<>();
  private long count;

  /** Time between two answers that was too long, and its aftermath. */
  private record Late(long fromNanos, long untilNanos, long tookNanos) {
    /** Returns how much of a time it takes up. */
    long nanosWithin(long from, long until) {
      long begin = Math.max(0, fromNanos - from);
      return Math.max(0, Math.min(until, untilNanos) - from - begin);
    }
  }

  private RedisPings(Socket socket, Duration inTime) {
    this.socket = socket;
    this.inTime = inTime;
  }

  /**
   * Begins to send PINGs.
   *
   * @param inTime longest time between two answers while Redis is in time
   */
  static RedisPings to(int port, Duration inTime) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    var pings = new RedisPings(socket, inTime);
    pings.thread.start();
    return pings;
  }

  private void run() {
    try (InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream()) {
      long answered = System.nanoTime();
      do {
        out.write(PING);
        if (in.readNBytes(PONG_BYTES).length < PONG_BYTES) {
          return;
        }
        answered = remember(answered, System.nanoTime());
      } while (!ending.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (IOException | InterruptedException e) {
      // the test has ended, or Redis: nothing is excused from here on
    }
  }

  private synchronized long remember(long before, long now) {
    count++;
    if (now - before > inTime.toNanos()) {
      late.add(new Late(before, now + AFTERMATH.toNanos(), now - before));
    }
    return now;
  }

  /** True if Redis was late in a time, or just before. */
  synchronized boolean wereLate(long fromNanos, long untilNanos) {
    return late.stream().anyMatch(each -> each.nanosWithin(fromNanos, untilNanos) > 0);
  }

  /** Returns the share of a time in which Redis was late, at most. */
  synchronized double lateShare(long fromNanos, long untilNanos) {
    long nanos = late.stream().mapToLong(each -> each.nanosWithin(fromNanos, untilNanos)).sum();
    return Math.min(1, (double) nanos / (untilNanos - fromNanos));
  }

  @Override
  public synchronized String toString() {
    long longest = late.stream().mapToLong(Late::tookNanos).max().orElse(0);
    return "%d PINGs, %d of them late, after up to %d ms"
        .formatted(count, late.size(), longest / 1_000_000);
  }

  @Override
  public void close() throws IOException {
    ending.countDown();
    socket.close();
  }
}
