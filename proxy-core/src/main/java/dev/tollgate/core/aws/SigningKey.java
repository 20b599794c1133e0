package dev.tollgate.core.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs canonical requests for one AWS service with a key that is derived from the access key for
 * each day. Pure.
 */
final class SigningKey {
  static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final AwsCredentials keys;
  private final String service;

  SigningKey(AwsCredentials keys, String service) {
    this.keys = keys;
    this.service = service;
  }

  AwsCredentials keys() {
    return keys;
  }

  /** Returns the time in the form of a request. */
  static String time(Instant now) {
    return TIME.format(now);
  }

  /** Returns the access key and the scope of its signatures. */
  String credential(Instant now) {
    return keys.accessKey() + "/" + scope(now);
  }

  String signature(Instant now, String canonical) {
    String toSign =
        String.join(
            "\n",
            ALGORITHM,
            time(now),
            scope(now),
            hex(sha256().digest(canonical.getBytes(UTF_8))));
    byte[] key = ("AWS4" + keys.secretKey().reveal()).getBytes(UTF_8);
    for (String part : List.of(day(now), keys.region(), service, "aws4_request", toSign)) {
      key = hmac(key, part);
    }
    return hex(key);
  }

  private String scope(Instant now) {
    return String.join("/", day(now), keys.region(), service, "aws4_request");
  }

  private static String day(Instant now) {
    return time(now).substring(0, 8);
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
    }
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
