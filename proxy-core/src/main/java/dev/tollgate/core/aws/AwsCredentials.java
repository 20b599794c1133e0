package dev.tollgate.core.aws;

import dev.tollgate.core.catalog.Secret;
import java.util.List;
import java.util.Optional;

/**
 * AWS access key with the region that requests are signed for; both are stored as one {@link
 * Secret}.
 *
 * @param session token of a temporary key; empty means the key is permanent
 */
public record AwsCredentials(
    String region, String accessKey, Secret secretKey, Optional<Secret> session) {
  /** Separator of the parts, which none of them contains; a bearer key does not begin with it. */
  private static final String SEPARATOR = "\n";

  /** Returns all parts as one secret, for a provider's credential. */
  public Secret packed() {
    String token = session.map(Secret::reveal).orElse("");
    return new Secret(String.join(SEPARATOR, "", region, accessKey, secretKey.reveal(), token));
  }

  /** Returns the parts of a packed secret; empty means it is a bearer key. */
  public static Optional<AwsCredentials> of(Secret credential) {
    List<String> parts = List.of(credential.reveal().split(SEPARATOR, -1));
    if (parts.size() != 5) {
      return Optional.empty();
    }
    Optional<Secret> session = Optional.of(parts.get(4)).filter(s -> !s.isEmpty()).map(Secret::new);
    return Optional.of(
        new AwsCredentials(parts.get(1), parts.get(2), new Secret(parts.get(3)), session));
  }
}
