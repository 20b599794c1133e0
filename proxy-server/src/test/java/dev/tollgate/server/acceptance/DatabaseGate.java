package dev.tollgate.server.acceptance;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Proxy between a node and its database that a test controls: it can be shut, and the next call of
 * a ledger function can be cut off, delayed or frozen. It parses the node's protocol messages and
 * buffers them up to the message that requests a response.
 */
final class DatabaseGate implements AutoCloseable {
  private static final int FIRST_BYTES_MAX = 10_000;

  private final NodeFolder database;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Armed> armed = new AtomicReference<>();
  private volatile boolean shut;

  /** Fault of a call. */
  enum Fault {
    /** The call does not reach the database. */
    CUT_BEFORE,
    /** The call is committed, and its response is lost. */
    CUT_AFTER,
    /** The call is delayed. */
    DELAY,
    /** The call is executed and not committed for a long time. */
    FREEZE
  }

  /** Fault of the next call of a function. */
  record Armed(String function, Fault fault, Duration pause, CountDownLatch done) {
    void await() throws InterruptedException {
      if (!done.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("no call of " + function);
      }
    }
  }

  private DatabaseGate(NodeFolder database) throws IOException {
    this.database = database;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  /** Returns a proxy to the database of a folder. */
  static DatabaseGate to(NodeFolder database) throws IOException {
    return new DatabaseGate(database);
  }

  /** Returns the database's address for a node behind this proxy. */
  List<String> storeSettings() throws IOException {
    List<String> direct = database.storeSettings();
    return List.of(
        "store.url=jdbc:postgresql://127.0.0.1:" + listener.getLocalPort() + "/postgres",
        direct.get(1),
        direct.get(2));
  }

  /** Applies a fault to the next call of a function, and waits until it is applied. */
  void hit(String function, Fault fault, Duration pause) throws InterruptedException {
    arm(function, fault, pause).await();
  }

  /** Applies a fault to the next call of a function, without waiting. */
  Armed arm(String function, Fault fault, Duration pause) {
    Armed next = new Armed(function, fault, pause, new CountDownLatch(1));
    armed.set(next);
    return next;
  }

  /** Starts an outage: open connections are reset, and new ones are refused. */
  void shut() {
    shut = true;
    sockets.forEach(DatabaseGate::reset);
  }

  /** Ends the outage. */
  void open() {
    shut = false;
  }

  private void accept() {
    try {
      while (true) {
        Socket node = listener.accept();
        Thread.ofVirtual().start(() -> relay(node));
      }
    } catch (IOException closed) {
      // the test has ended
    }
  }

  private void relay(Socket node) {
    try (node;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), databasePort())) {
      sockets.addAll(List.of(node, server));
      if (shut) {
        reset(node);
        return;
      }
      new Tunnel(node, server).run();
    } catch (IOException cut) {
      reset(node);
    } finally {
      sockets.remove(node);
    }
  }

  private int databasePort() throws IOException {
    String url = database.storeSettings().getFirst();
    return Integer.parseInt(url.replaceAll(".*:(\\d+)/.*", "$1"));
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException alreadyClosed) {
      // the database is gone
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    shut();
  }

  /** One connection. */
  private final class Tunnel {
    private final Socket node;
    private final Socket server;
    private final Map<String, String> statements = new HashMap<>();
    private final CountDownLatch answered = new CountDownLatch(1);
    private volatile boolean answersAreLost;

    Tunnel(Socket node, Socket server) {
      this.node = node;
      this.server = server;
    }

    void run() throws IOException {
      Thread.ofVirtual().start(this::relayAnswers);
      DataInputStream in = new DataInputStream(new BufferedInputStream(node.getInputStream()));
      OutputStream out = server.getOutputStream();
      try {
        relayBeginning(in, out);
        while (true) {
          relayCall(in, out);
        }
      } catch (EOFException left) {
        server.close();
      }
    }

    /**
     * Messages before the session begins have no type: they request encryption, which is denied.
     */
    private void relayBeginning(DataInputStream in, OutputStream out) throws IOException {
      int bytes = in.readInt();
      while (bytes == 8) {
        out.write(ByteBuffer.allocate(8).putInt(bytes).putInt(in.readInt()).array());
        bytes = in.readInt();
      }
      if (bytes < 4 || bytes > FIRST_BYTES_MAX) {
        throw new IOException("no beginning of a session: " + bytes);
      }
      out.write(ByteBuffer.allocate(bytes).putInt(bytes).put(in.readNBytes(bytes - 4)).array());
    }

    /** Reads messages up to the one that requests a response. */
    private void relayCall(DataInputStream in, OutputStream out) throws IOException {
      StringBuilder called = new StringBuilder();
      while (true) {
        byte type = in.readByte();
        int bytes = in.readInt();
        byte[] body = in.readNBytes(bytes - 4);
        called.append(statement(type, body));
        boolean isLast = type == 'S' || type == 'Q';
        Armed its = isLast ? armed.get() : null;
        if (its != null
            && called.indexOf(its.function() + "(") >= 0
            && armed.compareAndSet(its, null)) {
          fail(its, out, message(type, body));
        } else {
          out.write(message(type, body));
        }
        if (isLast) {
          return;
        }
      }
    }

    private byte[] message(byte type, byte[] body) {
      return ByteBuffer.allocate(5 + body.length)
          .put(type)
          .putInt(4 + body.length)
          .put(body)
          .array();
    }

    /** Returns the SQL text of the statement that a message belongs to. */
    private String statement(byte type, byte[] body) {
      String[] parts = new String(body, StandardCharsets.ISO_8859_1).split("\0", 3);
      return switch (type) {
        case 'P' -> {
          statements.put(parts[0], parts[1]);
          yield parts[1];
        }
        case 'B' -> statements.getOrDefault(parts[1], "");
        case 'Q' -> parts[0];
        default -> "";
      };
    }

    /** All messages but the last of the call have reached the database, which executes it. */
    private void fail(Armed its, OutputStream out, byte[] last) throws IOException {
      try {
        switch (its.fault()) {
          case CUT_BEFORE -> {}
          case CUT_AFTER -> {
            answersAreLost = true;
            out.write(last);
            await(answered, Duration.ofSeconds(20));
          }
          case DELAY -> {
            await(new CountDownLatch(1), its.pause());
            out.write(last);
            return;
          }
          case FREEZE -> await(new CountDownLatch(1), its.pause());
        }
        reset(node);
        reset(server);
        throw new IOException("cut by the test");
      } finally {
        its.done().countDown();
      }
    }

    private void await(CountDownLatch latch, Duration atMost) throws IOException {
      try {
        boolean _ = latch.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }

    private void relayAnswers() {
      byte[] buffer = new byte[65_536];
      try (Socket _ = server) {
        while (true) {
          int bytes = server.getInputStream().read(buffer);
          if (bytes < 0) {
            reset(node);
            return;
          }
          if (!answersAreLost) {
            node.getOutputStream().write(buffer, 0, bytes);
          } else if (bytes >= 6 && buffer[bytes - 6] == 'Z') {
            answered.countDown();
          }
        }
      } catch (IOException cut) {
        reset(node);
      }
    }
  }
}
