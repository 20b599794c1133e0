package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients whose requests are never complete: each writes a byte now and then, until its connection
 * is closed. One thread writes for all in turn.
 */
final class SlowClients implements AutoCloseable {
  /** All together send four thousand bytes a second, whatever their number. */
  private static final Duration BYTE_OF_EACH = Duration.ofNanos(250_000);

  private final Selector selector = Selector.open();
  private final List<Client> open = new ArrayList<>();
  private final ByteBuffer read = ByteBuffer.allocate(1 << 10);
  private final StringBuilder received = new StringBuilder();
  private final Thread thread = new Thread(this::run, "slow-clients");
  private final long byteNanos;
  private long longestNanos;
  private boolean ending;
  private int ended;

  /** One client. */
  private static final class Client {
    private final SocketChannel channel;
    private final byte[] rest;
    private final long openedNanos = System.nanoTime();
    private long dueNanos = openedNanos;
    private int at;

    Client(SocketChannel channel, String rest) {
      this.channel = channel;
      this.rest = rest.getBytes(ISO_8859_1);
    }
  }

  private SlowClients(int count) throws IOException {
    byteNanos = BYTE_OF_EACH.multipliedBy(count).toNanos();
  }

  /**
   * Opens this many connections and starts to write on all.
   *
   * @param atOnce sent first
   * @param rest sent byte by byte, repeatedly
   */
  static SlowClients on(int port, int count, String atOnce, String rest) throws IOException {
    var clients = new SlowClients(count);
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int n = 0; n < count; n++) {
      SocketChannel channel = SocketChannel.open(address);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.write(ByteBuffer.wrap(atOnce.getBytes(ISO_8859_1)));
      channel.configureBlocking(false);
      var client = new Client(channel, rest);
      channel.register(clients.selector, SelectionKey.OP_READ, client);
      clients.open.add(client);
    }
    clients.thread.start();
    return clients;
  }

  private void run() {
    try {
      while (!isOver()) {
        selector.select(20);
        for (SelectionKey key : selector.selectedKeys()) {
          read((Client) key.attachment());
        }
        selector.selectedKeys().clear();
        synchronized (this) {
          open.forEach(this::drip);
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private synchronized boolean isOver() {
    return ending || open.isEmpty();
  }

  private void drip(Client client) {
    if (client.dueNanos - System.nanoTime() > 0) {
      return;
    }
    client.dueNanos += byteNanos;
    try {
      byte next = client.rest[client.at++ % client.rest.length];
      client.channel.write(ByteBuffer.wrap(new byte[] {next}));
    } catch (IOException closed) {
      // the reading thread reports it
    }
  }

  private synchronized void read(Client client) throws IOException {
    int count;
    try {
      count = client.channel.read(read.clear());
    } catch (IOException reset) {
      count = -1;
    }
    if (count > 0 && received.length() < 1 << 16) {
      received.append(ISO_8859_1.decode(read.flip()));
    } else if (count < 0) {
      ended++;
      longestNanos = Math.max(longestNanos, System.nanoTime() - client.openedNanos);
      open.remove(client);
      client.channel.close();
      notifyAll();
    }
  }

  /** Returns the number of connections closed by the other side. */
  synchronized int ended() {
    return ended;
  }

  /** Returns the bytes that any client received, of which there should be none. */
  synchronized String received() {
    return received.toString();
  }

  /**
   * Waits until the other side has closed all connections; returns the longest time one was open.
   */
  synchronized Duration awaitAllClosed(Duration within) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + within.toNanos();
    while (!open.isEmpty()) {
      long leftMillis = Duration.ofNanos(deadlineNanos - System.nanoTime()).toMillis();
      if (leftMillis <= 0) {
        throw new AssertionError(open.size() + " are still open, " + ended + " were closed");
      }
      wait(leftMillis);
    }
    return Duration.ofNanos(longestNanos);
  }

  @Override
  public void close() throws IOException {
    List<Client> left;
    synchronized (this) {
      ending = true;
      left = List.copyOf(open);
    }
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    for (Client client : left) {
      client.channel.close();
    }
    selector.close();
  }
}
