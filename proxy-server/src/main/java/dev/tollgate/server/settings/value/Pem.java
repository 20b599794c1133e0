package dev.tollgate.server.settings.value;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parser of certificates and private keys in PEM. */
public final class Pem {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

  /** Begin of a key's block, whose content may have fields before the Base64. */
  private static final Pattern KEY = Pattern.compile("-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----");

  private static final String CONVERT =
      "convert it with openssl pkcs8 -topk8 -nocrypt -in FILE -out NEW";
  private static final List<String> KEY_TYPES = List.of("RSA", "EC", "EdDSA");
  private static final byte[] PROBE = new byte[32];

  private Pem() {}

  /** Thrown for a text that has not what was looked for; the message follows the file's key. */
  public static final class PemException extends Exception {
    private static final long serialVersionUID = 1;

    public PemException(String message) {
      super(message, null, false, false);
    }
  }

  /** Returns all certificates of the text, at least one. */
  public static List<X509Certificate> certificates(String text) throws PemException {
    List<X509Certificate> found = new ArrayList<>();
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      if (block.group(1).equals("CERTIFICATE")) {
        found.add(certificate(block.group(2)));
      }
    }
    if (found.isEmpty()) {
      throw new PemException(
          "has no certificate in PEM: there is no line -----BEGIN CERTIFICATE-----");
    }
    return found;
  }

  private static X509Certificate certificate(String base64) throws PemException {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(decoded(base64)));
    } catch (CertificateException | IllegalArgumentException e) {
      throw new PemException("has a certificate that cannot be read: " + e.getMessage());
    }
  }

  /** Returns the private key of the text, which must be in PKCS#8 without a password. */
  public static PrivateKey privateKey(String text) throws PemException {
    Matcher key = KEY.matcher(text);
    if (!key.find()) {
      throw new PemException(
          "has no private key in PEM: there is no line -----BEGIN PRIVATE KEY-----");
    }
    switch (key.group(1)) {
      case "" -> {}
      case "ENCRYPTED " ->
          throw new PemException(
              "has a password: write it without one with openssl pkcs8 -in FILE -out NEW");
      case "RSA " -> throw new PemException("is in PKCS#1: " + CONVERT);
      default -> throw new PemException("is not in PKCS#8: " + CONVERT);
    }
    Matcher block = BLOCK.matcher(text.substring(key.start()));
    if (!block.lookingAt()) {
      throw new PemException("has a private key that is not complete");
    }
    return privateKey(decodedKey(block.group(2)));
  }

  private static byte[] decodedKey(String base64) throws PemException {
    try {
      return decoded(base64);
    } catch (IllegalArgumentException e) {
      throw new PemException("has a private key that cannot be read");
    }
  }

  private static PrivateKey privateKey(byte[] pkcs8) throws PemException {
    for (String type : KEY_TYPES) {
      try {
        return KeyFactory.getInstance(type).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (InvalidKeySpecException otherType) {
        // the next type
      } catch (GeneralSecurityException e) {
        throw new PemException("cannot be used: " + e.getMessage());
      }
    }
    throw new PemException("has a private key that is neither RSA nor EC nor Ed25519");
  }

  private static byte[] decoded(String base64) {
    return Base64.getMimeDecoder().decode(base64);
  }

  /** True if a key is the one of a certificate, as far as a signature shows. */
  public static boolean belong(PrivateKey key, X509Certificate certificate) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "EdDSA";
        };
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update(PROBE);
      byte[] signed = signing.sign();
      Signature verifying = Signature.getInstance(algorithm);
      verifying.initVerify(certificate.getPublicKey());
      verifying.update(PROBE);
      return verifying.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // the key is of another kind
    }
  }
}
