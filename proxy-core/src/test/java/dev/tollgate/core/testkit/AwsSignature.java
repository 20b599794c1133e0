package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifier of AWS signatures, version 4, as the server checks them. */
public final class AwsSignature {
  private AwsSignature() {}

  /**
   * True if the signature is valid.
   *
   * @param target as received
   * @param head names in lower case
   */
  public static boolean isValid(
      String method,
      String target,
      Map<String, String> head,
      byte[] body,
      String secret,
      String service) {
    String given = head.getOrDefault("authorization", "");
    if (!given.startsWith("AWS4-HMAC-SHA256 Credential=")) {
      return false;
    }
    String[] scope =
        between(given, "Credential=", ",").split("/", -1); // id, day, region, service, end
    String names = between(given, "SignedHeaders=", ",");
    List<String> signed = List.of(names.split(";", -1));
    boolean complete =
        scope.length == 5
            && scope[3].equals(service)
            && signed.contains("host")
            && head.keySet().stream()
                .filter(name -> name.startsWith("x-amz-"))
                .allMatch(signed::contains);
    if (!complete) {
      return false;
    }
    StringBuilder request = new StringBuilder(method).append('\n');
    String[] parts = target.split("\\?", 2);
    request.append(again(parts[0])).append('\n');
    request.append(parts.length == 1 ? "" : sorted(parts[1])).append('\n');
    for (String name : signed) {
      request.append(name).append(':').append(head.get(name)).append('\n');
    }
    request.append('\n').append(names).append('\n').append(hash(body));
    String toSign =
        "AWS4-HMAC-SHA256\n"
            + head.get("x-amz-date")
            + "\n"
            + String.join("/", Arrays.copyOfRange(scope, 1, 5))
            + "\n"
            + hash(request.toString().getBytes(UTF_8));
    byte[] key = hmac(("AWS4" + secret).getBytes(UTF_8), scope[1]);
    key = hmac(hmac(hmac(key, scope[2]), scope[3]), scope[4]);
    return HexFormat.of().formatHex(hmac(key, toSign)).equals(between(given, "Signature=", ","));
  }

  /** In a percent-encoded path only the percent signs are left to encode. */
  private static String again(String path) {
    return path.replace("%", "%25");
  }

  private static String sorted(String query) {
    return Arrays.stream(query.split("&", -1))
        .map(pair -> pair.contains("=") ? pair : pair + "=")
        .sorted()
        .collect(Collectors.joining("&"));
  }

  private static String between(String text, String before, String behind) {
    int from = text.indexOf(before) + before.length();
    int to = text.indexOf(behind, from);
    return text.substring(from, to < 0 ? text.length() : to);
  }

  private static String hash(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
