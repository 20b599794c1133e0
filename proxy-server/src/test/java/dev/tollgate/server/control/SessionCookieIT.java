package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.control.route.ControlReply;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.RouteDraft;
import dev.tollgate.server.control.route.RouteSpec;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCounted;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The session cookie's name and attributes, by how browsers reach the listener. */
final class SessionCookieIT {
  private static final String SIGN_IN =
      "{\"email\":\"separate@example.com\",\"password\":\"" + FixtureRows.PASSWORD + "\"}";
  private static final String VALUE = "[A-Za-z0-9_-]{43}";
  private static final String PLAIN = "tollgate_session";
  private static final String SECURE = "__Host-tollgate_session";

  @Test
  void plainHttpOnLoopback(@TempDir Path folder) throws Exception {
    try (ControlNode node = ControlNode.start(folder)) {
      requireCookie(node, PLAIN, SECURE, "");
    }
  }

  @Test
  void httpsInFrontOfIt(@TempDir Path folder) throws Exception {
    int port = freePort();
    String publicUrl = ", public_url: \"https://console.example:%d\"".formatted(port);
    try (ControlNode node = ControlNode.start(folder, port, publicUrl)) {
      requireCookie(node, SECURE, PLAIN, "; Secure");
    }
  }

  @Test
  void httpsOfItsOwn() throws Exception {
    X509Bundle certificate =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=localhost")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    SslContext context =
        SslContextBuilder.forServer(
                certificate.toTempCertChainPem(), certificate.toTempPrivateKeyPem())
            .sslProvider(SslProvider.OPENSSL_REFCNT)
            .build();
    ControlListener.Options options = TestControl.options(context);
    RouteSpec route = RouteDraft.get("T1", "/api/v1/me").to(Audience.PERSON).build("ME");
    var handlers =
        new Handlers.Builder()
            .on(route, _ -> ControlReply.noContent().with(options.sessionCookie().set("next")))
            .build();
    try (var control = new TestControl(handlers, options);
        RawClient client = RawClient.over(trusting(certificate, control.port))) {
      String plain = control.signIn(false, TestControl.NOW);
      String secure = plain.replace(PLAIN, SECURE);
      RawResponse answer = client.get("/api/v1/me", secure).readResponse();
      assertThat(answer.status()).isEqualTo(204);
      assertThat(answer.headers("set-cookie"))
          .containsExactly(SECURE + "=next; HttpOnly; SameSite=Lax; Path=/; Secure");
      assertThat(client.get("/api/v1/me", plain).readResponse().status()).isEqualTo(401);
    }
    assertThat(((ReferenceCounted) context).refCnt()).isZero();
  }

  private static Socket trusting(X509Bundle certificate, int port) throws Exception {
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(certificate.toKeyStore(new char[0]));
    SSLContext client = SSLContext.getInstance("TLS");
    client.init(null, trust.getTrustManagers(), null);
    return client.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
  }

  private static int freePort() throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void requireCookie(ControlNode node, String name, String other, String more) {
    RawResponse signedIn = node.send("POST", "/api/v1/auth/sign-in", SIGN_IN, ControlNode.MARKED);
    assertThat(signedIn.status()).as(signedIn.text()).isEqualTo(200);
    String attributes = "; HttpOnly; SameSite=Lax; Path=/" + more;
    assertThat(signedIn.headers("set-cookie")).hasSize(1);
    String set = signedIn.headers("set-cookie").getFirst();
    assertThat(set).matches(name + "=" + VALUE + attributes);
    String value = set.substring(name.length() + 1, set.indexOf(';'));
    assertThat(status(node, name + "=" + value)).isEqualTo(200);
    assertThat(status(node, other + "=" + value)).isEqualTo(401);
    assertThat(status(node, name + "=" + value + "; " + name + "=" + value)).isEqualTo(401);
    RawResponse out =
        node.send(
            "POST",
            "/api/v1/auth/sign-out",
            null,
            ControlNode.MARKED,
            "Cookie: " + name + "=" + value);
    assertThat(out.headers("set-cookie")).containsExactly(name + "=" + attributes + "; Max-Age=0");
    assertThat(out.header("clear-site-data")).isEqualTo("\"cache\", \"storage\"");
    assertThat(status(node, name + "=" + value)).isEqualTo(401);
  }

  private static int status(ControlNode node, String cookies) {
    return node.send("GET", "/api/v1/session", null, "Cookie: " + cookies).status();
  }
}
