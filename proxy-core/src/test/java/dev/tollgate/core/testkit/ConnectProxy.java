package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * HTTP proxy on loopback that makes tunnels to ports of this machine, whatever the host is called,
 * or fails in a chosen way.
 */
public final class ConnectProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final Behavior behavior;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Answer to each request for a tunnel. */
  public enum Behavior {
    /** 200, and bytes in both directions. */
    RELAYS("HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n"),
    /** 407, unless {@code user:secret} is sent. */
    WANTS_CREDENTIALS(
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n"
            + "Content-Length: 4\r\n\r\nwho?"),
    REFUSES("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
    /** No answer at all. */
    STALLS(""),
    /** Half an answer, and the end of the connection. */
    DIES("HTTP/1.1 200 Connec"),
    /** The greeting of another protocol. */
    IS_NO_PROXY("220 mail.example ESMTP\r\n\r\n");

    private final String answer;

    Behavior(String answer) {
      this.answer = answer;
    }
  }

  private ConnectProxy(ServerSocket listener, Behavior behavior) {
    this.listener = listener;
    this.behavior = behavior;
  }

  public static ConnectProxy start(Behavior behavior) {
    try {
      var proxy = new ConnectProxy(new ServerSocket(0, 64, Loopback.ADDRESS), behavior);
      Thread.ofVirtual().name("connect-proxy").start(proxy::acceptAll);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Returns its URL, with a user and a password. */
  public String url() {
    return "http://user:secret@127.0.0.1:" + port();
  }

  /** Returns the heads of all requests for tunnels. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket client = listener.accept();
        open.add(client);
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  private void serve(Socket client) {
    try {
      String head = head(client.getInputStream());
      requests.add(head);
      boolean known = head.contains("proxy-authorization: Basic dXNlcjpzZWNyZXQ=\r\n");
      boolean relays =
          behavior == Behavior.RELAYS || (behavior == Behavior.WANTS_CREDENTIALS && known);
      String answer = relays ? Behavior.RELAYS.answer : behavior.answer;
      client.getOutputStream().write(answer.getBytes(ISO_8859_1));
      if (relays) {
        relay(client, head);
      } else if (behavior != Behavior.STALLS) {
        client.close();
      }
    } catch (IOException e) {
      closeQuietly(client);
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed within the head");
      }
      head.append((char) next);
    }
    return head.toString();
  }

  private void relay(Socket client, String head) throws IOException {
    String authority = head.split(" ", 3)[1];
    int to = Integer.parseInt(authority.substring(authority.lastIndexOf(':') + 1));
    Socket server = new Socket(Loopback.ADDRESS, to);
    open.add(server);
    Thread.ofVirtual().start(() -> copy(server, client));
    copy(client, server);
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      closeQuietly(from);
      closeQuietly(to);
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
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open.forEach(ConnectProxy::closeQuietly);
  }
}
