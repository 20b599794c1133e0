package dev.tollgate.core.aws;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Signs S3 requests and URLs with AWS Signature Version 4. S3 differs from other services: the path
 * is encoded once, the hash of the body is a field, and a URL can be signed for clients without a
 * key. Instances have no mutable state.
 */
public final class S3Signature {
  /** Hash of an absent body. */
  public static final String EMPTY_SHA256 = SigningKey.hex(SigningKey.sha256().digest());

  private final SigningKey key;

  public S3Signature(AwsCredentials keys) {
    this.key = new SigningKey(keys, "s3");
  }

  /** Returns a digest for the hash of a body; {@link #hash} is its form in a request. */
  public static MessageDigest newDigest() {
    return SigningKey.sha256();
  }

  /** Returns the hash of the bytes that {@code digest} was updated with. */
  public static String hash(MessageDigest digest) {
    return SigningKey.hex(digest.digest());
  }

  /**
   * Returns all fields of a request except its length: the given ones, the host, and those of the
   * signature.
   *
   * @param path encoded
   */
  public List<Field> fields(
      String method, String host, String path, List<Field> given, String bodySha256, Instant now) {
    List<Field> all = new ArrayList<>(given);
    all.add(new Field("host", host));
    all.add(new Field("x-amz-content-sha256", bodySha256));
    all.add(new Field("x-amz-date", SigningKey.time(now)));
    key.keys().session().map(Secret::reveal).map(SigV4::securityToken).ifPresent(all::add);
    all.sort(Comparator.comparing(Field::name));
    String names = all.stream().map(Field::name).collect(Collectors.joining(";"));
    String canonical =
        String.join("\n", method, path, "", SigV4.canonicalHeaders(all), names, bodySha256);
    all.add(SigV4.authorization(key.credential(now), names, key.signature(now, canonical)));
    return all;
  }

  /**
   * Returns the query that permits a GET of a path, without a key, for a limited time.
   *
   * @param path encoded
   */
  public String presignedQuery(String host, String path, Duration lifetime, Instant now) {
    List<Field> parameters = new ArrayList<>();
    parameters.add(new Field("X-Amz-Algorithm", SigningKey.ALGORITHM));
    parameters.add(new Field("X-Amz-Credential", key.credential(now)));
    parameters.add(new Field("X-Amz-Date", SigningKey.time(now)));
    parameters.add(new Field("X-Amz-Expires", Long.toString(lifetime.toSeconds())));
    key.keys()
        .session()
        .map(Secret::reveal)
        .ifPresent(session -> parameters.add(new Field("X-Amz-Security-Token", session)));
    parameters.add(new Field("X-Amz-SignedHeaders", "host"));
    String query =
        parameters.stream()
            .map(one -> one.name() + "=" + SigV4.encoded(one.value(), false))
            .collect(Collectors.joining("&"));
    String canonical =
        String.join("\n", "GET", path, query, "host:" + host + "\n", "host", "UNSIGNED-PAYLOAD");
    return query + "&X-Amz-Signature=" + key.signature(now, canonical);
  }
}
