package dev.tollgate.server.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.server.settings.value.ServiceAccount;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Builder of the signed JWT with which a service account requests an access token (RFC 7523). */
final class JwtAssertion {
  private static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";
  private static final Duration LIFETIME =
      Duration.ofHours(1); // the longest lifetime that is accepted

  private JwtAssertion() {}

  static String of(ServiceAccount account, Instant now) throws GeneralSecurityException {
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("alg", "RS256");
    head.put("typ", "JWT");
    head.put("kid", account.keyId());
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put("iss", account.email());
    claims.put("scope", SCOPE);
    claims.put("aud", account.tokenUri().toString());
    claims.put("iat", now.getEpochSecond());
    claims.put("exp", now.plus(LIFETIME).getEpochSecond());
    String signed =
        base64(JsonBytes.value(head).toString()) + '.' + base64(JsonBytes.value(claims).toString());
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(account.key());
    signature.update(signed.getBytes(UTF_8));
    return signed + '.' + base64(signature.sign());
  }

  private static String base64(String json) {
    return base64(json.getBytes(UTF_8));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
