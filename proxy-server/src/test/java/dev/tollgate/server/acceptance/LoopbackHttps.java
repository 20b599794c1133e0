package dev.tollgate.server.acceptance;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/** HTTPS server on loopback, with an authority of its own that a node can be told to trust. */
final class LoopbackHttps implements AutoCloseable {
  private static final String PASSWORD = "changeit";

  private final HttpsServer server;
  private final X509Bundle authority;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private LoopbackHttps(HttpsServer server, X509Bundle authority) {
    this.server = server;
    this.authority = authority;
  }

  static LoopbackHttps start(HttpHandler handler) throws Exception {
    X509Bundle authority =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=Tests")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    X509Bundle leaf =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=receiver")
            .addSanIpAddress("127.0.0.1")
            .addExtendedKeyUsageServerAuth()
            .buildIssuedBy(authority);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(leaf.toKeyManagerFactory().getKeyManagers(), null, new SecureRandom());
    var address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    var https = new LoopbackHttps(HttpsServer.create(address, 64), authority);
    https.server.setHttpsConfigurator(new HttpsConfigurator(tls));
    https.server.setExecutor(https.threads);
    https.server.createContext("/", handler);
    https.server.start();
    return https;
  }

  int port() {
    return server.getAddress().getPort();
  }

  String url() {
    return "https://127.0.0.1:" + port();
  }

  /** Returns the certificate of its authority. */
  String authorityPem() {
    return authority.getCertificatePEM();
  }

  /** Returns the JVM options of a node that trusts it. */
  List<String> trusted() throws Exception {
    return List.of(
        "-Djavax.net.ssl.trustStore=" + authority.toTempKeyStoreFile(PASSWORD.toCharArray()),
        "-Djavax.net.ssl.trustStorePassword=" + PASSWORD);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
