package dev.tollgate.server.wiring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.ConnectionSettings;
import dev.tollgate.server.settings.RemoteProvider;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.value.Pem;
import dev.tollgate.server.settings.value.Pem.PemException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the files of outgoing TLS: {@code egress.ca} and {@code providers.*.tls}. Endpoints
 * with equal files share a context.
 */
final class EndpointTlsFiles {
  /** Sessions of webhooks' connections are not resumed; 0 would mean unbounded. */
  private static final int FRESH_SESSIONS = 1;

  private final @Nullable String egressCa;

  private EndpointTlsFiles(Settings settings) throws StartException {
    this.egressCa = text("egress.ca", settings.egress().ca());
  }

  /** Reads the files of all providers; those without any are left out. */
  static Map<ProviderId, EndpointTls> ofProviders(Settings settings) throws StartException {
    var files = new EndpointTlsFiles(settings);
    Map<ProviderId, EndpointTls> found = new LinkedHashMap<>();
    Map<String, SslContext> contexts = new HashMap<>();
    for (var entry : settings.providers().entrySet()) {
      if (entry.getValue() instanceof RemoteProvider remote
          && remote.isConfigured()
          && remote.baseUrl().tls()) {
        String section = "providers." + entry.getKey() + ".tls";
        EndpointTls tls = files.of(section, remote.connection().tls(), contexts);
        if (tls != null) {
          found.put(entry.getKey(), tls);
        }
      }
    }
    return found;
  }

  /** Reads the files for endpoints that are no providers; null: there are none. */
  static @Nullable EndpointTls ofEgress(Settings settings) throws StartException {
    var files = new EndpointTlsFiles(settings);
    return files.of("egress.ca", ConnectionSettings.Tls.NONE, new HashMap<>());
  }

  /** Reads the files for webhooks; null: there are none. */
  static @Nullable EndpointTls ofWebhooks(Settings settings) throws StartException {
    String ca = text("egress.ca", settings.egress().ca());
    return ca == null
        ? null
        : new EndpointTls(
            hash(ca),
            null,
            context("egress.ca", builder(ca, null, null, null).sessionCacheSize(FRESH_SESSIONS)));
  }

  /** Releases contexts that no connection will use again; null stands for none. */
  static void release(Collection<@Nullable EndpointTls> ended) {
    ended.stream()
        .filter(Objects::nonNull)
        .map(EndpointTls::context)
        .distinct()
        .forEach(ReferenceCountUtil::release);
  }

  /**
   * @param contexts those made so far, by the hash of their files
   */
  private @Nullable EndpointTls of(
      String section, ConnectionSettings.Tls tls, Map<String, SslContext> contexts)
      throws StartException {
    if (egressCa == null && tls.equals(ConnectionSettings.Tls.NONE)) {
      return null;
    }
    String ca = text(section + ".ca", tls.ca());
    String certificate = text(section + ".client_certificate", tls.clientCertificate());
    String key = text(section + ".client_private_key", tls.clientPrivateKey());
    String fingerprint = hash(ca == null ? egressCa : null, ca, certificate, key);
    SslContext context = contexts.get(fingerprint);
    if (context == null) {
      context = context(section, builder(egressCa, ca, certificate, key));
      contexts.put(fingerprint, context);
    }
    return new EndpointTls(fingerprint, tls.serverName(), context);
  }

  private static SslContextBuilder builder(
      @Nullable String added,
      @Nullable String ca,
      @Nullable String certificate,
      @Nullable String key)
      throws StartException {
    try {
      SslContextBuilder builder = Network.strictClient();
      if (ca != null) {
        builder.trustManager(Pem.certificates(ca));
      } else if (added != null) {
        builder.trustManager(withMachines(Pem.certificates(added)));
      }
      if (certificate != null && key != null) {
        builder.keyManager(Pem.privateKey(key), Pem.certificates(certificate));
      }
      return builder;
    } catch (PemException | GeneralSecurityException e) {
      throw new StartException("TLS of outgoing calls cannot be used: a file " + e.getMessage(), e);
    }
  }

  /** Returns these authorities and those that the machine trusts. */
  private static List<X509Certificate> withMachines(List<X509Certificate> added)
      throws GeneralSecurityException {
    var machines = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    machines.init((KeyStore) null);
    List<X509Certificate> all = new ArrayList<>(added);
    for (TrustManager manager : machines.getTrustManagers()) {
      if (manager instanceof X509TrustManager trusted) {
        all.addAll(List.of(trusted.getAcceptedIssuers()));
      }
    }
    return all;
  }

  private static SslContext context(String section, SslContextBuilder builder)
      throws StartException {
    try {
      return builder.build();
    } catch (IOException | IllegalArgumentException e) {
      throw new StartException(section + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static @Nullable String text(String key, @Nullable Path file) throws StartException {
    try {
      return file == null ? null : Files.readString(file);
    } catch (IOException e) {
      throw new StartException(key + " cannot be read: " + e, e);
    }
  }

  private static String hash(@Nullable String... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String part : parts) {
        digest.update((part == null ? "-" : part.length() + " " + part).getBytes(UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
