package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.netty.pkitesting.X509Bundle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Provider over HTTPS on loopback that answers every request with one plain completion. */
final class HttpsProvider {
  private static final String ANSWER =
      """
      {"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,\
      "message":{"role":"assistant","content":"over TLS"},"finish_reason":"stop"}],\
      "usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\
      """;

  private HttpsProvider() {}

  /**
   * @param ofClients issuer of the certificates that clients must have; null: they need none
   */
  static HttpsServer start(X509Bundle certificate, @Nullable X509Bundle ofClients)
      throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    TrustManager[] trust =
        ofClients == null ? null : new TrustManager[] {ofClients.toTrustManager()};
    context.init(certificate.toKeyManagerFactory().getKeyManagers(), trust, new SecureRandom());
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters tls = context.getDefaultSSLParameters();
            tls.setNeedClientAuth(ofClients != null);
            parameters.setSSLParameters(tls);
          }
        });
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, ANSWER.length());
          exchange.getResponseBody().write(ANSWER.getBytes(UTF_8));
          exchange.close();
        });
    server.start();
    return server;
  }
}
