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
 * Signatures as S3 wants them: the path is encoded once, the hash of the body is a field, and a URL
 * can be signed for who has no key. Pure.
 */
public final class S3Signature {
  /** The hash of a body that is not there. */
  public static final String EMPTY_SHA256 = SigningKey.hex(SigningKey.sha256().digest());

  private final SigningKey key;

  public S3Signature(AwsCredentials keys) {
    this.key = new SigningKey(keys, "s3");
  }

  /** What the hash of a body is made with; {@link #hash} is how a request says it. */
  public static MessageDigest newDigest() {
    return SigningKey.sha256();
  }

  /** The hash of what was fed to {@code digest}. */
  public static String hash(MessageDigest digest) {
    return SigningKey.hex(digest.digest());
  }

  /**
   * All fields of a request but its length: those given, the host, and the signature's own.
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
   * The query that lets whoever has it GET a path for a while.
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
