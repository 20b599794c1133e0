package dev.tollgate.server.settings;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which provider is reached by which proxy. */
class EgressSettingsTest {
  private static InMemoryConfig config(String proxy, String host, String ownProxy) {
    return InMemoryConfig.of(
        """
        version: 1
        egress:
          proxy: %s
          no_proxy: [models.example.com, .inside.example, "*.star.example", 10.0.0.0/8, "fd00::/8"]
        providers:
          it: { type: openai, base_url: "https://%s/v1", proxy: %s }
        """
            .formatted(proxy, host, ownProxy));
  }

  private static EndpointIdentity endpoint(InMemoryConfig config) {
    return new CatalogBuilder(_ -> 0)
        .build(config.settings()).providers().stream()
            .map(Provider::endpoint)
            .findFirst()
            .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "api.example.com, true",
    "models.example.com, false",
    "MODELS.example.com, false",
    "eu.models.example.com, true",
    "a.inside.example, false",
    "b.a.inside.example, false",
    "inside.example, true",
    "notinside.example, true",
    "a.star.example, false",
    "10.1.2.3, false",
    "11.1.2.3, true",
    "[fd00::1], false",
    "[fe00::1], true",
    "localhost, false",
    "127.0.0.2, false",
    "[::1], false"
  })
  void hostsOfNoProxyAndLoopbackAreCalledDirectly(String host, boolean proxied) {
    HttpProxy proxy = endpoint(config("http://Proxy:3128", host, "inherit")).proxy();
    assertThat(proxy).isEqualTo(proxied ? new HttpProxy("proxy", 3128, null) : null);
  }

  @Test
  void aProviderMayHaveItsOwnProxyOrNone() {
    assertThat(endpoint(config("http://all:1", "api.example.com", "null")).proxy()).isNull();
    assertThat(endpoint(config("http://all:1", "localhost", "http://own:2")).proxy())
        .isEqualTo(new HttpProxy("own", 2, null));
    assertThat(endpoint(config("null", "api.example.com", "inherit")).proxy()).isNull();
  }

  @Test
  void credentialsAreDecodedAndHidden() {
    InMemoryConfig config =
        config("http://us%40er:p%3Ass+w@proxy:3128/", "api.example.com", "inherit");
    HttpProxy proxy = requireNonNull(endpoint(config).proxy());
    assertThat(proxy.authorization()).isEqualTo(new Secret("Basic dXNAZXI6cDpzcyt3"));
    assertThat(config.settings().masked())
        .contains("http://***@proxy:3128")
        .doesNotContain("p%3Ass", "dXNAZXI");
    assertThat(config.settings().toString()).doesNotContain("p%3Ass", "dXNAZXI");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://pass-canary:x@proxy:3128",
        "socks5://pass-canary:x@proxy:1080",
        "http://pass-canary:x@proxy",
        "http://pass-canary@proxy:3128",
        "http://pass-canary:x@proxy:3128/path"
      })
  void anotherFormIsRefusedAndNotRepeated(String url) {
    assertThat(config(url, "api.example.com", "inherit").problems())
        .containsExactly(
            "gateway.yaml:3:10: egress.proxy: must be a proxy such as"
                + " http://user:password@host:3128");
  }

  @Test
  void tlsSettingsNeedHttpsAndBothPartsOfAClientCertificate() {
    assertThat(
            InMemoryConfig.of(
                    """
                    version: 1
                    providers:
                      a: { type: openai, base_url: "http://h:1/v1", tls: { server_name: x } }
                      b: { type: openai, base_url: "https://h/v1", tls: { client_certificate: c } }
                      c: { type: openai, base_url: "https://h/v1", tls: { client_private_key: k } }
                    """)
                .problems())
        .containsExactly(
            "gateway.yaml:3:54: providers.a.tls: has no effect: base_url is http",
            "gateway.yaml:4:75: providers.b.tls.client_certificate: needs client_private_key",
            "gateway.yaml:5:75: providers.c.tls.client_private_key: needs client_certificate");
  }
}
