package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawResponse;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
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
    String publicUrl = ", public_url: \"https://console.example\"";
    try (ControlNode node = ControlNode.start(folder, publicUrl, null)) {
      requireCookie(node, SECURE, PLAIN, "; Secure");
    }
  }

  @Test
  void httpsOfItsOwn(@TempDir Path folder) throws Exception {
    X509Bundle certificate =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=localhost")
            .addSanDnsName("localhost")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    String files =
        ", tls: { certificate: \"%s\", private_key: \"%s\" }"
            .formatted(certificate.toTempCertChainPem(), certificate.toTempPrivateKeyPem());
    try (ControlNode node = ControlNode.start(folder, files, certificate)) {
      requireCookie(node, SECURE, PLAIN, "; Secure");
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
