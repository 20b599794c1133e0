package dev.tollgate.core.dialect.anthropic;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Derives an end user's id that tells nothing about the person: some providers refuse e-mail
 * addresses, telephone numbers and long ids. Such an id becomes its hash, so that one user still
 * has one id.
 */
public final class OpaqueUserId {
  private static final int CHARS_MAX = 256;
  private static final int HASH_CHARS = 32;
  private static final Pattern EMAIL = Pattern.compile("[^\\s@]@[^\\s@]+\\.[^\\s@]");

  /** With a country code or the usual groups anywhere, or nothing but digits and separators. */
  private static final Pattern TELEPHONE =
      Pattern.compile(
          "\\+\\(?\\d[\\d ().\\-/]{5,}\\d"
              + "|(?<![0-9A-Za-z])\\(?\\d{3}\\)?[ .\\-]?\\d{3}[ .\\-]\\d{4}(?![0-9A-Za-z])"
              + "|^\\s*\\(?\\d(?:[ ().\\-/]?\\d){6,14}\\s*$");

  private OpaqueUserId() {}

  /** Returns an id that such a provider accepts; another one stays as it is. */
  public static String of(String id) {
    boolean isTaken =
        id.length() <= CHARS_MAX && !EMAIL.matcher(id).find() && !TELEPHONE.matcher(id).find();
    return isTaken ? id : hash(id);
  }

  private static String hash(String id) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(id.getBytes(UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, HASH_CHARS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
