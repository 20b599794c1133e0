package dev.tollgate.server.settings;

import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.value.FileFailure;
import dev.tollgate.server.settings.value.Pem;
import dev.tollgate.server.settings.value.Pem.PemException;
import dev.tollgate.server.settings.yaml.ProcessEnvironment.TextFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens the PEM files that a configuration names for TLS and reports those that cannot be used.
 * Expired certificates are warnings: a gateway must start without the provider that refuses it.
 */
final class TlsFileChecks {
  private final TextFiles files;
  private final SectionProblems problems;

  TlsFileChecks(TextFiles files, SectionProblems problems) {
    this.files = files;
    this.problems = problems;
  }

  void check(Settings settings) {
    checkListener("listeners.api.tls", settings.listeners().api().tls());
    checkListener("listeners.control.tls", settings.listeners().control().tls());
    checkAuthorities("egress.ca", settings.egress().ca());
    settings.providers().forEach(this::checkProvider);
  }

  private void checkListener(String section, ListenerSettings.@Nullable Tls tls) {
    if (tls != null) {
      checkPair(
          section + ".certificate", tls.certificate(), section + ".private_key", tls.privateKey());
    }
  }

  private void checkProvider(ProviderId id, ProviderSettings provider) {
    if (provider instanceof RemoteProvider remote) {
      ConnectionSettings.Tls tls = remote.connection().tls();
      String section = "providers." + id + ".tls";
      checkAuthorities(section + ".ca", tls.ca());
      if (tls.clientCertificate() != null && tls.clientPrivateKey() != null) {
        checkPair(
            section + ".client_certificate",
            tls.clientCertificate(),
            section + ".client_private_key",
            tls.clientPrivateKey());
      }
    }
  }

  private void checkAuthorities(String key, @Nullable Path file) {
    if (file != null) {
      certificates(key, file).forEach(one -> warnIfExpired(key, file, one));
    }
  }

  private void checkPair(String key, Path file, String ofKey, Path keyFile) {
    List<X509Certificate> chain = certificates(key, file);
    PrivateKey privateKey = privateKey(ofKey, keyFile);
    if (chain.isEmpty()) {
      return;
    }
    warnIfExpired(key, file, chain.getFirst());
    if (privateKey != null && !Pem.belong(privateKey, chain.getFirst())) {
      problems.add(ofKey, keyFile + " is not the key of the first certificate in " + file);
    }
  }

  private List<X509Certificate> certificates(String key, Path file) {
    try {
      return Pem.certificates(read(file));
    } catch (PemException e) {
      problems.add(key, file + " " + e.getMessage());
      return List.of();
    }
  }

  private @Nullable PrivateKey privateKey(String key, Path file) {
    try {
      return Pem.privateKey(read(file));
    } catch (PemException e) {
      problems.add(key, file + " " + e.getMessage());
      return null;
    }
  }

  private String read(Path file) throws PemException {
    try {
      return files.read(file);
    } catch (IOException e) {
      throw new PemException("cannot be read: " + FileFailure.reason(e));
    }
  }

  private void warnIfExpired(String key, Path file, X509Certificate certificate) {
    try {
      certificate.checkValidity();
    } catch (CertificateExpiredException e) {
      problems.warn(key, file + " has expired on " + certificate.getNotAfter().toInstant());
    } catch (CertificateNotYetValidException e) {
      problems.warn(key, file + " is not valid until " + certificate.getNotBefore().toInstant());
    }
  }
}
