package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of TLS that cannot be used, and the line that names each. */
class TlsFilesTest {
  private static final X509Bundle GOOD = certificate(Duration.ofDays(30));
  private static final X509Bundle OTHER = certificate(Duration.ofDays(30));
  private static final X509Bundle EXPIRED = certificate(Duration.ofDays(-1));

  private static final String LISTENER =
      """
      version: 1
      listeners:
        api:
          tls:
            certificate: chain.pem
            private_key: key.pem
      """;

  private static final String PROVIDER =
      """
      version: 1
      egress: { ca: company.pem }
      providers:
        inside:
          type: openai
          base_url: https://models.example/v1
          tls:
            ca: own.pem
            client_certificate: chain.pem
            client_private_key: key.pem
      """;

  private static X509Bundle certificate(Duration validity) {
    try {
      return new CertificateBuilder()
          .ecp256()
          .subject("CN=models.example")
          .notBefore(Instant.now().minus(Duration.ofDays(60)))
          .notAfter(Instant.now().plus(validity))
          .setIsCertificateAuthority(true)
          .buildSelfSigned();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static InMemoryConfig with(String yaml, String chain, String key) {
    return InMemoryConfig.of(yaml)
        .file("chain.pem", chain)
        .file("key.pem", key)
        .file("company.pem", GOOD.getCertificatePEM())
        .file("own.pem", "# its own\n" + GOOD.getCertificatePEM() + OTHER.getCertificatePEM());
  }

  private static InMemoryConfig with(String yaml, X509Bundle chain, X509Bundle key) {
    return with(yaml, chain.getCertificatePathPEM(), key.getPrivateKeyPEM());
  }

  @Test
  void filesThatCanBeUsedAreNoProblem() {
    assertThat(with(LISTENER, GOOD, GOOD).problems()).isEmpty();
    assertThat(with(PROVIDER, GOOD, GOOD).problems()).isEmpty();
  }

  @Test
  void commandsThatDoNotServeOpenNone() {
    assertThat(InMemoryConfig.of(LISTENER).load(SettingsPart.LISTENERS))
        .isInstanceOf(LoadResult.Valid.class);
    assertThat(InMemoryConfig.of(PROVIDER).load(SettingsPart.KEYS))
        .isInstanceOf(LoadResult.Valid.class);
  }

  @Test
  void missingFilesAreNamedWithTheirLines() {
    assertThat(InMemoryConfig.of(PROVIDER).problems())
        .containsExactly(
            "gateway.yaml:2:15: egress.ca: company.pem cannot be read: it does not exist",
            "gateway.yaml:8:11: providers.inside.tls.ca: own.pem cannot be read: it does not exist",
            "gateway.yaml:9:27: providers.inside.tls.client_certificate: chain.pem cannot be read: it does not exist",
            "gateway.yaml:10:27: providers.inside.tls.client_private_key: key.pem cannot be read: it does not exist");
  }

  @Test
  void aKeyOfAnotherCertificateIsAProblem() {
    assertThat(with(LISTENER, GOOD, OTHER).problems())
        .containsExactly(
            "gateway.yaml:6:20: listeners.api.tls.private_key:"
                + " key.pem is not the key of the first certificate in chain.pem");
    assertThat(with(PROVIDER, GOOD, OTHER).problems()).hasSize(1);
  }

  @Test
  void anExpiredCertificateIsAWarning() {
    var config = with(LISTENER, EXPIRED, EXPIRED);
    assertThat(config.problems()).isEmpty();
    assertThat(config.warnings())
        .singleElement()
        .asString()
        .startsWith(
            "gateway.yaml:5:20: listeners.api.tls.certificate: chain.pem has expired on 20");
  }

  @ParameterizedTest
  @CsvSource({
    "-----BEGIN RSA PRIVATE KEY-----, is in PKCS#1: convert it with openssl pkcs8 -topk8 -nocrypt",
    "-----BEGIN EC PRIVATE KEY-----, is not in PKCS#8: convert it with openssl pkcs8 -topk8",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----, has a password",
    "-----BEGIN PRIVATE KEY-----, has a private key that is not complete",
    "MIIE, has no private key in PEM"
  })
  void keysInAnotherFormHaveTheirRemedy(String begin, String message) {
    assertThat(with(LISTENER, GOOD.getCertificatePathPEM(), begin + "\nMIIE\n").problems())
        .singleElement()
        .asString()
        .startsWith("gateway.yaml:6:20: listeners.api.tls.private_key: key.pem " + message);
  }

  @ParameterizedTest
  @CsvSource({
    "nothing, has no certificate in PEM",
    "'-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n', has a certificate that cannot be read"
  })
  void whatIsNoCertificateIsAProblem(String text, String message) {
    assertThat(with(LISTENER, text, GOOD.getPrivateKeyPEM()).problems())
        .singleElement()
        .asString()
        .startsWith("gateway.yaml:5:20: listeners.api.tls.certificate: chain.pem " + message);
  }
}
