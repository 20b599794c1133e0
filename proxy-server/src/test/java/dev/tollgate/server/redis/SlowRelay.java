package dev.tollgate.server.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * Network relay in front of Redis: it delays every answer, in order, by a time that tests change.
 * Calls pass at once.
 */
final class SlowRelay implements AutoCloseable {
  private static final int READ_BYTES = 64 * 1024;

  private final ServerSocket listening;
  private final int port;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile long delayNanos;
  private volatile Trigger trigger = new Trigger("never", Duration.ZERO);

  SlowRelay(RedisProcess redis) {
    this.port = redis.port();
    try {
      this.listening = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.startVirtualThread(this::accept);
  }

  String url() {
    return "redis://127.0.0.1:" + listening.getLocalPort();
  }

  /** Delays answers from now on. */
  void delay(Duration by) {
    delayNanos = by.toNanos();
  }

  /** Delays answers from the call on that contains a text. */
  void delayFrom(String asked, Duration by) {
    trigger = new Trigger(asked, by);
  }

  private record Trigger(String asked, Duration by) {}

  private record Answer(String latin1, long dueNanos) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(dueNanos, ((Answer) other).dueNanos);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        var server = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.addAll(List.of(client, server));
        var answers = new DelayQueue<Answer>();
        Thread.startVirtualThread(() -> ask(client, server));
        Thread.startVirtualThread(() -> hear(server, answers));
        Thread.startVirtualThread(() -> answer(client, answers));
      }
    } catch (IOException closed) {
      close();
    }
  }

  private void ask(Socket client, Socket server) {
    try (server;
        InputStream from = client.getInputStream()) {
      byte[] read = new byte[READ_BYTES];
      for (int count = from.read(read); count >= 0; count = from.read(read)) {
        Trigger now = trigger;
        if (new String(read, 0, count, StandardCharsets.ISO_8859_1).contains(now.asked())) {
          delay(now.by());
        }
        server.getOutputStream().write(read, 0, count);
      }
    } catch (IOException gone) {
      closeQuietly(client);
    }
  }

  private void hear(Socket server, DelayQueue<Answer> answers) {
    long dueNanos = System.nanoTime();
    try (InputStream from = server.getInputStream()) {
      byte[] read = new byte[READ_BYTES];
      for (int count = from.read(read); count >= 0; count = from.read(read)) {
        var text = new String(read, 0, count, StandardCharsets.ISO_8859_1);
        dueNanos = Math.max(dueNanos + 1, System.nanoTime() + delayNanos); // in order
        answers.add(new Answer(text, dueNanos));
      }
    } catch (IOException gone) {
      closeQuietly(server);
    }
    answers.add(new Answer("", dueNanos + 1));
  }

  private static void answer(Socket client, DelayQueue<Answer> answers) {
    try (client;
        OutputStream to = client.getOutputStream()) {
      for (Answer next = answers.take(); !next.latin1.isEmpty(); next = answers.take()) {
        to.write(next.latin1.getBytes(StandardCharsets.ISO_8859_1));
      }
    } catch (IOException | InterruptedException gone) {
      closeQuietly(client);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.forEach(SlowRelay::closeQuietly);
  }
}
