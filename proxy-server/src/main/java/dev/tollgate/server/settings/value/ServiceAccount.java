package dev.tollgate.server.settings.value;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;

/**
 * Private key and metadata of a Google service account, parsed from its JSON key file.
 *
 * @param email name of the account
 * @param keyId id of this key among the keys of the account
 * @param tokenUri URL that issues access tokens
 */
public record ServiceAccount(String email, String keyId, PrivateKey key, URI tokenUri) {
  private static final String TOKEN_URI_DEFAULT = "https://oauth2.googleapis.com/token";

  /** Returns the key; empty if the text is not a key file of a service account. */
  public static Optional<ServiceAccount> parse(Secret file) {
    byte[] json = file.reveal().getBytes(UTF_8);
    try {
      JsonMembers members = JsonMembers.of(json, 0, json.length);
      String email = text(members, "client_email");
      String uri = text(members, "token_uri");
      PrivateKey key = key(text(members, "private_key"));
      URI tokenUri = URI.create(uri.isEmpty() ? TOKEN_URI_DEFAULT : uri);
      return email.isEmpty() || tokenUri.getHost() == null
          ? Optional.empty()
          : Optional.of(new ServiceAccount(email, text(members, "private_key_id"), key, tokenUri));
    } catch (InvalidJson | GeneralSecurityException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String text(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == JsonKind.STRING ? members.string(i) : "";
  }

  private static PrivateKey key(String pem) throws GeneralSecurityException {
    String base64 = pem.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    byte[] der = Base64.getDecoder().decode(base64);
    return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
  }

  @Override
  public String toString() {
    return email;
  }
}
