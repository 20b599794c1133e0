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
 * Clients that send so slowly that they never have asked: each writes a byte of its request now and
 * then, for as long as the other side lets it. One thread, which is whose turn it is.
 */
final class SlowClients implements AutoCloseable {
  /** So that all of them together send four thousand bytes a second, however many they are. */
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

  /** One of them. */
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
   * Opens so many connections and begins to drip on all.
   *
   * @param atOnce what each sends first
   * @param rest what comes byte by byte, and again from its start
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
      // its reading says so
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

  /** How many the other side closed. */
  synchronized int ended() {
    return ended;
  }

  /** What any of them was told, of which there should be nothing. */
  synchronized String received() {
    return received.toString();
  }

  /** Waits until the other side has closed all; how long the one that it bore longest was open. */
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
