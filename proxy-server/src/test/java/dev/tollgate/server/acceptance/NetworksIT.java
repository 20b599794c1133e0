package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpsServer;
import dev.tollgate.core.testkit.ConnectProxy;
import dev.tollgate.core.testkit.ConnectProxy.Behavior;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.core.testkit.ScriptedUpstream;
import dev.tollgate.server.cli.CheckRun;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Providers behind the proxy and the certificate authority of a company, and what requests, the
 * access log and {@code check --connect} say of each failure on the way.
 */
class NetworksIT {
  private static final String INSIDE = "models.internal.example";
  private static final Stage STAGE = Stage.set();

  /** A company: its authority, servers, proxies, and a node with a provider for each case. */
  private static final class Stage {
    private final Path folder;
    private final X509Bundle authority;
    private final X509Bundle client;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final ConnectProxy proxy = proxy(Behavior.WANTS_CREDENTIALS);
    private final ConnectProxy refusing = proxy(Behavior.REFUSES);
    private final Map<String, Map<String, Object>> providers = new LinkedHashMap<>();
    private final GatewayProcess node;

    static Stage set() {
      try {
        return new Stage();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    private Stage() throws Exception {
      folder = Files.createTempDirectory("tollgate-networks");
      authority =
          new CertificateBuilder()
              .ecp256()
              .subject("CN=Company")
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      client = leaf("gateway").addExtendedKeyUsageClientAuth().buildIssuedBy(authority);
      write("ca.pem", authority.getCertificatePEM());
      write("client.pem", client.getCertificatePathPEM());
      write("client.key", client.getPrivateKeyPEM());
      addProviders();
      ConfigBuilder setup = SharedNode.setup();
      providers.forEach((id, settings) -> setup.provider(id, settings).model("net/" + id, id, "m"));
      node = SharedNode.beside(setup, List.of());
    }

    private void addProviders() throws Exception {
      int plain = server(leaf("localhost").buildIssuedBy(authority), false);
      int wantsClient = server(leaf("localhost").buildIssuedBy(authority), true);
      int inside = server(leaf(INSIDE).buildIssuedBy(authority), false);
      int expired =
          server(
              leaf("localhost")
                  .notBefore(Instant.now().minus(Duration.ofDays(20)))
                  .notAfter(Instant.now().minus(Duration.ofDays(10)))
                  .buildIssuedBy(authority),
              false);
      Map<String, String> ca = Map.of("ca", file("ca.pem"));
      Map<String, String> withClient =
          Map.of(
              "ca", file("ca.pem"),
              "client_certificate", file("client.pem"),
              "client_private_key", file("client.key"));
      add("private-ca", "localhost", plain, Map.of("tls", ca));
      add("unknown-ca", "localhost", plain, Map.of());
      add("other-name", "127.0.0.1", plain, Map.of("tls", ca));
      add(
          "given-name",
          "127.0.0.1",
          plain,
          Map.of("tls", Map.of("ca", file("ca.pem"), "server_name", "localhost")));
      add("client", "localhost", wantsClient, Map.of("tls", withClient));
      add("no-client", "localhost", wantsClient, Map.of("tls", ca));
      add("expired", "localhost", expired, Map.of("tls", ca));
      add("no-port", "localhost", ScriptedUpstream.refusedPort(), Map.of());
      add("proxied", INSIDE, inside, Map.of("tls", ca, "proxy", proxy.url()));
      addBehind("proxy-auth", "http://127.0.0.1:" + proxy.port());
      addBehind("proxy-refuses", refusing.url());
      addBehind("proxy-dies", proxy(Behavior.DIES).url());
      addBehind("proxy-stalls", proxy(Behavior.STALLS).url());
      addBehind("no-proxy", proxy(Behavior.IS_NO_PROXY).url());
      addBehind("proxy-gone", "http://127.0.0.1:" + ScriptedUpstream.refusedPort());
    }

    private void addBehind(String id, String proxyUrl) {
      add(id, INSIDE, 443, Map.of("proxy", proxyUrl));
    }

    private void add(String id, String host, int port, Map<String, ?> more) {
      Map<String, Object> settings = new LinkedHashMap<>(more);
      settings.put("type", "openai");
      settings.put("base_url", "https://" + host + ":" + port + "/v1");
      settings.put("api_key", "k");
      settings.put("timeouts", Map.of("connect", id.equals("proxy-stalls") ? "300ms" : "20s"));
      if (id.equals("proxy-refuses")) {
        settings.put("circuit", Map.of("failures", 2, "open_for", "1m", "open_for_max", "1m"));
      }
      providers.put(id, settings);
    }

    private ConnectProxy proxy(Behavior behavior) {
      ConnectProxy started = ConnectProxy.start(behavior);
      open.add(started);
      return started;
    }

    private static CertificateBuilder leaf(String name) {
      return new CertificateBuilder().ecp256().subject("CN=" + name).addSanDnsName(name);
    }

    private int server(X509Bundle identity, boolean wantsClient) throws Exception {
      HttpsServer server = HttpsProvider.start(identity, wantsClient ? authority : null);
      open.add(() -> server.stop(0));
      return server.getAddress().getPort();
    }

    private String file(String name) {
      return folder.resolve(name).toString();
    }

    private void write(String name, String text) throws Exception {
      Files.writeString(folder.resolve(name), text);
    }

    void close() throws Exception {
      node.close();
      for (AutoCloseable one : open) {
        one.close();
      }
    }
  }

  @AfterAll
  static void stop() throws Exception {
    STAGE.close();
  }

  private static RawResponse ask(String id) {
    return ChatRequests.ask(STAGE.node, "net/" + id);
  }

  private static List<String> loggedReasons(RawResponse response) throws Exception {
    String id = response.header("x-request-id");
    String line =
        STAGE
            .node
            .err()
            .await(
                text -> text.contains(id) && text.contains("\"attempts\""), Duration.ofSeconds(10))
            .orElseThrow(() -> new AssertionError("no line of " + id));
    List<String> reasons = new ArrayList<>();
    for (JsonNode attempt : Json.tree(line).path("attempts")) {
      reasons.add(attempt.path("outcome").asText() + " " + attempt.path("reason").asText());
    }
    return reasons;
  }

  @ParameterizedTest
  @CsvSource({"private-ca", "given-name", "client", "proxied"})
  void providersInsideAreReached(String id) {
    RawResponse response = ask(id);
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    assertThat(response.text()).contains("over TLS");
  }

  @ParameterizedTest
  @CsvSource({
    "unknown-ca, unreachable, tls_untrusted",
    "other-name, unreachable, tls_name",
    "no-client, unreachable, tls_client_certificate",
    "expired, unreachable, tls_expired",
    "no-port, unreachable, connect",
    "proxy-auth, unreachable, proxy_auth",
    "proxy-dies, unreachable, proxy_closed",
    "no-proxy, unreachable, proxy_malformed",
    "proxy-gone, unreachable, proxy_unreachable",
    "proxy-stalls, timed_out, proxy_timeout"
  })
  void theLogNamesWhatFailed(String id, String outcome, String fault) throws Exception {
    RawResponse response = ask(id);
    assertThat(response.status()).as(response.text()).isIn(503, 504);
    assertThat(loggedReasons(response))
        .isNotEmpty()
        .allSatisfy(reason -> assertThat(reason).startsWith(outcome + " " + fault + ": "));
    assertThat(STAGE.node.err().text()).doesNotContain("dXNlcjpzZWNyZXQ", "user:secret");
  }

  @Test
  void aTunnelServesManyRequests() {
    int before = STAGE.proxy.requests().size();
    for (int n = 0; n < 4; n++) {
      assertThat(ask("proxied").status()).isEqualTo(200);
    }
    assertThat(STAGE.proxy.requests().size() - before).isLessThanOrEqualTo(2); // one of each loop
  }

  @Test
  void failuresOfTheProxyOpenTheCircuitOfTheEndpoint() throws Exception {
    assertThat(loggedReasons(ask("proxy-refuses")))
        .allSatisfy(reason -> assertThat(reason).contains(" proxy_refused: "));
    assertThat(ask("proxy-refuses").status()).isEqualTo(503);
    int asked = STAGE.refusing.requests().size();
    for (int n = 0; n < 3; n++) {
      assertThat(ask("proxy-refuses").text()).contains("circuit_open");
    }
    assertThat(STAGE.refusing.requests()).hasSize(asked);
  }

  @Test
  void checkConnectSaysWhatFailedAndWhatToDo() {
    CheckRun run = CheckRun.connect(STAGE.node.home().config());
    assertThat(run.code()).isOne();
    assertThat(run.out())
        .contains("provider private-ca https://localhost:", ": connected, TLS, key accepted")
        .contains(": connected through proxy 127.0.0.1:" + STAGE.proxy.port() + ", TLS, key acc");
    requireLine(run, "unknown-ca", "tls_untrusted", "providers.unknown-ca.tls.ca");
    requireLine(run, "other-name", "tls_name", "providers.other-name.tls.server_name");
    requireLine(run, "no-client", "tls_client_certificate", ".tls.client_certificate");
    requireLine(run, "expired", "tls_expired", "renewed");
    requireLine(run, "no-port", "connect", "firewall");
    requireLine(run, "proxy-auth", "proxy_auth", "http://user:password@127.0.0.1:");
    requireLine(run, "proxy-refuses", "proxy_refused", "allow CONNECT to " + INSIDE + ":443");
    requireLine(run, "proxy-stalls", "proxy_timeout", "providers.proxy-stalls.proxy");
    requireLine(run, "proxy-dies", "proxy_closed", "egress.proxy");
    requireLine(run, "no-proxy", "proxy_malformed", "egress.proxy");
    requireLine(run, "proxy-gone", "proxy_unreachable", "egress.proxy");
    assertThat(run.err()).doesNotContain("dXNlcjpzZWNyZXQ", "user:secret");
  }

  private static void requireLine(CheckRun run, String id, String fault, String remedy) {
    assertThat(run.err().lines().filter(line -> line.startsWith("provider " + id + " ")))
        .singleElement()
        .asString()
        .contains(": cannot connect: " + fault + ": ")
        .contains(remedy);
  }

  /** The certificate of the gateway is renewed; before, no handshake used the new one. */
  @Test
  void aReloadReadsTheFilesAgain() throws Exception {
    String before = Files.readString(Path.of(STAGE.file("ca.pem")));
    X509Bundle other =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=Another")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    try {
      STAGE.write("ca.pem", other.getCertificatePEM());
      reload();
      assertThat(loggedReasons(ask("private-ca")).getFirst()).contains("tls_untrusted");
      STAGE.write("ca.pem", "none");
      STAGE.node.hangUp();
      assertThat(
              STAGE
                  .node
                  .err()
                  .await(
                      line -> line.contains("has no certificate in PEM"), Duration.ofSeconds(10)))
          .isPresent();
    } finally {
      STAGE.write("ca.pem", before);
      reload();
    }
    assertThat(ask("private-ca").status()).isEqualTo(200);
  }

  private static void reload() throws Exception {
    double done = STAGE.node.admin().total("tollgate_config_reloads_total");
    STAGE.node.hangUp();
    STAGE
        .node
        .admin()
        .await(
            numbers -> numbers.getOrDefault("tollgate_config_reloads_total", 0.0) > done,
            "a reload");
  }
}
