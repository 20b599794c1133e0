package dev.tollgate.server.wiring;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.tollgate.core.egress.PostClient;
import dev.tollgate.core.egress.PostRules;
import dev.tollgate.core.egress.PublicAddressResolver;
import dev.tollgate.core.egress.PublicConnector;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.UrlRules;
import dev.tollgate.core.testkit.ScriptedNames;
import dev.tollgate.core.upstream.SocketConnector;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/** Webhook receivers on this machine, under host names of a certificate made for the test. */
public final class LocalReceivers implements AutoCloseable {
  public static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

  private final X509Bundle root;
  private final HttpsServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private LocalReceivers(X509Bundle root, HttpsServer server) {
    this.root = root;
    this.server = server;
  }

  public static LocalReceivers listen(List<String> names, int backlog, HttpHandler handler)
      throws Exception {
    X509Bundle root =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=Tests")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    var its = new CertificateBuilder().ecp256().subject("CN=receivers");
    names.forEach(its::addSanDnsName);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(its.buildIssuedBy(root).toKeyManagerFactory().getKeyManagers(), null, null);
    HttpsServer server = HttpsServer.create(new InetSocketAddress(HERE, 0), backlog);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext("/", handler);
    var receivers = new LocalReceivers(root, server);
    server.setExecutor(receivers.threads);
    server.start();
    return receivers;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** Connector to these ports of this machine under those host names. */
  public PostClient poster(ScriptedNames names, Set<Integer> ports, Duration timeout)
      throws Exception {
    var urls =
        new UrlRules(
            ports,
            Set.of(),
            CidrSet.parse(List.of("127.0.0.1")),
            CidrSet.NONE,
            Set.of(),
            CidrSet.NONE);
    var tls =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(root.toTrustManagerFactory())
            .build();
    var connector =
        new SocketConnector(
            NioSocketChannel::new,
            DefaultAddressResolverGroup.INSTANCE,
            tls,
            PooledByteBufAllocator.DEFAULT);
    return new PostClient(
        new PublicConnector(new PublicAddressResolver(names), connector),
        () -> new PostRules(urls, timeout));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
