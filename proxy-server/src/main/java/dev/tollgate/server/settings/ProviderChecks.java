package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Validates the configuration keys that all network providers share: API keys, circuit, TLS,
 * headers and path.
 */
final class ProviderChecks {
  private static final String HEADER_NAME = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

  /** Headers that frame or route a request or limit the formats of a reply: Tollgate sets them. */
  private static final Set<String> RESERVED_HEADERS =
      Set.of(
          "accept",
          "accept-encoding",
          "connection",
          "content-length",
          "content-type",
          "expect",
          "host",
          "keep-alive",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private ProviderChecks() {}

  static void check(RemoteProvider provider, SectionProblems problems) {
    ApiKeySettings keys = provider.keys();
    if (keys.apiKey() != null && !keys.apiKeys().isEmpty()) {
      problems.add("api_keys", "give either api_key or api_keys");
    }
    ConnectionSettings.Circuit circuit = provider.connection().circuit();
    if (circuit.openForMax().compareTo(circuit.openFor()) < 0) {
      problems.add("circuit.open_for_max", "must not be shorter than open_for");
    }
    checkTls(provider, problems.in("tls"));
    checkHeaders(provider.headers(), provider.keyHeader(), problems);
    provider.quirks().check(problems);
    provider.check(problems);
  }

  private static void checkTls(RemoteProvider provider, SectionProblems problems) {
    ConnectionSettings.Tls tls = provider.connection().tls();
    if (!tls.equals(ConnectionSettings.Tls.NONE) && !provider.baseUrl().tls()) {
      problems.add("", "has no effect: base_url is http");
    }
    if (tls.clientCertificate() == null && tls.clientPrivateKey() != null) {
      problems.add("client_private_key", "needs client_certificate");
    }
    if (tls.clientCertificate() != null && tls.clientPrivateKey() == null) {
      problems.add("client_certificate", "needs client_private_key");
    }
  }

  /**
   * @param keyHeader header that carries the key; empty if no key is sent
   */
  private static void checkHeaders(
      Map<String, Secret> headers, String keyHeader, SectionProblems problems) {
    Set<String> seen = new HashSet<>();
    for (String name : headers.keySet()) {
      String key = SettingPaths.join("headers", name);
      String field = name.toLowerCase(Locale.ROOT);
      if (!name.matches(HEADER_NAME)) {
        problems.add(key, "is not a header name");
      } else if (RESERVED_HEADERS.contains(field)) {
        problems.add(key, "is written by Tollgate itself");
      } else if (field.equals(keyHeader)) {
        problems.add(key, "is set from the configured key");
      } else if (!seen.add(field)) {
        problems.add(key, "is given twice");
      }
    }
  }
}
