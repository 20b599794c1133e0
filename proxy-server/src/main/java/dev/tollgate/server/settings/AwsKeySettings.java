package dev.tollgate.server.settings;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Configuration keys of a provider at AWS for the access key with which requests to it are signed.
 */
public record AwsKeySettings(
    @Key(
            about =
                "access key that signs requests, instead of api_key; null: no signature; an empty"
                    + " variable: the provider is not configured",
            keepsEmpty = true)
        @Nullable String accessKey,
    @Key(about = "secret of the access key") @Nullable Secret secretKey,
    @Key(about = "session token of a temporary access key; it is not renewed")
        @Nullable Secret sessionToken) {

  /** False if the access key is given and empty. */
  boolean areConfigured() {
    return accessKey == null || !accessKey.isEmpty();
  }

  /** Returns the credentials for the signature; empty if requests are not signed. */
  Optional<AwsCredentials> credentials(String region) {
    var session = Optional.ofNullable(sessionToken);
    return accessKey == null || secretKey == null || !areConfigured()
        ? Optional.empty()
        : Optional.of(new AwsCredentials(region, accessKey, secretKey, session));
  }

  void check(SectionProblems problems) {
    if (!areConfigured()) {
      return;
    }
    boolean hasAccessKey = accessKey != null;
    if (hasAccessKey != (secretKey != null)) {
      problems.add(
          hasAccessKey ? "access_key" : "secret_key",
          "needs " + (hasAccessKey ? "secret_key" : "access_key") + " as well");
    } else if (!hasAccessKey && sessionToken != null) {
      problems.add("session_token", "needs access_key and secret_key as well");
    }
    checkVisibleAscii("access_key", accessKey, problems);
    checkVisibleAscii("secret_key", reveal(secretKey), problems);
    checkVisibleAscii("session_token", reveal(sessionToken), problems);
  }

  private static @Nullable String reveal(@Nullable Secret secret) {
    return secret == null ? null : secret.reveal();
  }

  private static void checkVisibleAscii(
      String key, @Nullable String value, SectionProblems problems) {
    if (value != null && !value.matches("[!-~]+")) {
      problems.add(key, "must consist of visible ASCII characters");
    }
  }
}
