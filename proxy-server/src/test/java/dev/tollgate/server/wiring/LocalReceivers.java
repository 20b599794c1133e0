package dev.tollgate.server.wiring;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.tollgate.core.egress.LoopbackTls;
import dev.tollgate.core.egress.PostClient;
import dev.tollgate.core.egress.PostRules;
import dev.tollgate.core.testkit.ScriptedNames;
import io.netty.handler.ssl.SslProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Webhook receivers on this machine, with a certificate for their names. */
public final class LocalReceivers implements AutoCloseable {
  public static final InetAddress HERE = LoopbackTls.HERE;

  private final LoopbackTls tls;
  private final HttpsServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private LocalReceivers(LoopbackTls tls, HttpsServer server) {
    this.tls = tls;
    this.server = server;
  }

  public static LocalReceivers listen(List<String> names, int backlog, HttpHandler handler)
      throws Exception {
    var tls = new LoopbackTls(SslProvider.JDK);
    HttpsServer server = HttpsServer.create(new InetSocketAddress(HERE, 0), backlog);
    server.setHttpsConfigurator(new HttpsConfigurator(tls.server(names)));
    server.createContext("/", handler);
    var receivers = new LocalReceivers(tls, server);
    server.setExecutor(receivers.threads);
    server.start();
    return receivers;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** Returns a client that reaches this machine at these ports, under these names. */
  public PostClient poster(ScriptedNames names, Set<Integer> ports, Duration timeout)
      throws Exception {
    var rules = new PostRules(LoopbackTls.urls(ports), timeout);
    return new PostClient(tls.connector(names), () -> rules);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
