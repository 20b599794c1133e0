package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsServer;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * TLS to clients, whose certificate a reload renews, and to providers, whose names are verified.
 */
class TlsIT {
  private static final String PASSWORD = "changeit";
  private static final int CONNECTIONS_MAX = 60;
  private static final Stage STAGE = Stage.set();

  /** Fixture of a TLS test: a certificate authority, a provider, and a node with TLS. */
  private record Stage(
      X509Bundle authority,
      HttpsServer provider,
      Path certificate,
      Path privateKey,
      GatewayProcess node)
      implements AutoCloseable {
    static Stage set() {
      try {
        X509Bundle authority =
            new CertificateBuilder()
                .ecp256()
                .subject("CN=Tests")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        X509Bundle leaf = leafOf(authority);
        HttpsServer provider = HttpsProvider.start(leaf, null);
        Path certificate = leaf.toTempCertChainPem().toPath();
        Path privateKey = leaf.toTempPrivateKeyPem().toPath();
        GatewayProcess node = nodeBefore(provider, authority, certificate, privateKey);
        return new Stage(authority, provider, certificate, privateKey, node);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    private static X509Bundle leafOf(X509Bundle authority) throws Exception {
      return new CertificateBuilder()
          .ecp256()
          .subject("CN=localhost")
          .addSanDnsName("localhost")
          .addExtendedKeyUsageServerAuth()
          .buildIssuedBy(authority);
    }

    @Override
    public void close() {
      node.close();
      provider.stop(0);
    }
  }

  private static GatewayProcess nodeBefore(
      HttpsServer provider, X509Bundle authority, Path certificate, Path privateKey)
      throws Exception {
    int port = provider.getAddress().getPort();
    var files = Map.of("certificate", certificate.toString(), "private_key", privateKey.toString());
    ConfigBuilder setup =
        SharedNode.setup()
            .listen(Map.of("tls", files, "max_connections", CONNECTIONS_MAX))
            .openAi("named", "https://localhost:" + port + "/v1", "k")
            .openAi("numbered", "https://127.0.0.1:" + port + "/v1", "k")
            .model("tls/right-name", "named", "m")
            .model("tls/wrong-name", "numbered", "m");
    return SharedNode.beside(
        setup,
        List.of(
            "-Djavax.net.ssl.trustStore=" + authority.toTempKeyStoreFile(PASSWORD.toCharArray()),
            "-Djavax.net.ssl.trustStorePassword=" + PASSWORD));
  }

  @AfterAll
  static void stop() {
    STAGE.close();
  }

  @ParameterizedTest
  @CsvSource({"test/chat,200", "tls/right-name,200", "tls/wrong-name,503"})
  void clientsUseTlsAndProviderCertificatesAreVerified(String model, int status) throws Exception {
    RawResponse response;
    try (RawClient client = connect()) {
      response =
          client
              .post(ChatRequests.PATH, ChatRequests.body(model, false), SharedNode.authorization())
              .readResponse();
    }

    assertThat(response.status()).as(response.text()).isEqualTo(status);
    if (status == 503) {
      assertThat(ChatRequests.code(response)).isEqualTo("provider_unavailable");
    }
  }

  @Test
  void aStreamWorksOverTls() throws Exception {
    try (RawClient client = connect()) {
      client.post(
          ChatRequests.PATH, ChatRequests.body("test/chat", true), SharedNode.authorization());
      assertThat(client.readUntil("data: [DONE]")).contains("\"finish_reason\":\"stop\"");
    }
  }

  @Test
  void plainTextOnTheTlsPortIsClosed() {
    assertThat(STAGE.node.baseUrl().getScheme()).isEqualTo("https");
    try (RawClient client = STAGE.node.connect()) {
      client.get("/v1/models", SharedNode.authorization());
      assertThat(new String(client.readToEnd(), UTF_8)).doesNotContain("HTTP/1.1 200");
    }
  }

  /** Before the bound, 30 of 30 honest connections were reset. */
  @Test
  void silentConnectionsOfOnePeerKeepNoHonestOneOut() throws Exception {
    List<RawClient> silent = new ArrayList<>();
    List<Integer> statuses = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * CONNECTIONS_MAX / 2; i++) {
        silent.add(STAGE.node.connect());
      }
      for (int i = 0; i < CONNECTIONS_MAX / 2; i++) {
        try (RawClient client = connect()) {
          statuses.add(client.get("/v1/key", SharedNode.authorization()).readResponse().status());
        }
      }
    } finally {
      silent.forEach(RawClient::close);
    }
    assertThat(statuses).hasSize(CONNECTIONS_MAX / 2).containsOnly(200);
    assertThat(STAGE.node.admin().total("tollgate_connections_refused_total")).isZero();
  }

  @Test
  void aReloadReadsTheCertificateAgainAndABadFileChangesNothing() throws Exception {
    try (RawClient open = connect()) {
      BigInteger first = serialNumber();
      X509Bundle renewed = Stage.leafOf(STAGE.authority);
      Files.writeString(STAGE.certificate, renewed.getCertificatePathPEM());
      Files.writeString(STAGE.privateKey, renewed.getPrivateKeyPEM());
      STAGE.node.hangUp();
      awaitCount("tollgate_config_reloads_total");
      assertThat(serialNumber())
          .isEqualTo(renewed.getCertificate().getSerialNumber())
          .isNotEqualTo(first);
      assertThat(open.get("/v1/key", SharedNode.authorization()).readResponse().status())
          .isEqualTo(200);

      Files.writeString(STAGE.certificate, "no certificate");
      STAGE.node.hangUp();
      awaitCount("tollgate_config_reload_failures_total");
      assertThat(
              STAGE
                  .node
                  .err()
                  .await(line -> line.contains("has no certificate in PEM"), Duration.ofSeconds(5)))
          .isPresent();
      assertThat(serialNumber()).isEqualTo(renewed.getCertificate().getSerialNumber());
    }
  }

  private static void awaitCount(String counter) {
    STAGE.node.admin().await(numbers -> numbers.getOrDefault(counter, 0.0) == 1, counter);
  }

  private static BigInteger serialNumber() throws Exception {
    try (SSLSocket socket = handshake()) {
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
    }
  }

  private static RawClient connect() throws Exception {
    return RawClient.over(handshake());
  }

  private static SSLSocket handshake() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    TrustManager[] trust = {STAGE.authority.toTrustManager()};
    context.init(null, trust, new SecureRandom());
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("localhost", STAGE.node.port());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }
}
