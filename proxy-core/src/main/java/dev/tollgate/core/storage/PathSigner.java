package dev.tollgate.core.storage;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs and verifies URLs of blobs that the gateway serves itself. A signature is valid for one
 * blob and until one time. Shared by all threads.
 */
public final class PathSigner {
  /** Prefix of the paths of blobs. */
  public static final String PREFIX = "/artifacts/";

  private static final Pattern QUERY =
      Pattern.compile("exp=([0-9]{1,12})&kid=([0-9a-f]{8})&sig=([0-9a-f]{64})");
  private static final String ALGORITHM = "HmacSHA256";

  private final BlobSigningKey key;
  private final SecretKeySpec spec;
  private final InstantSource clock;
  private final Duration ttl;
  private final Supplier<String> base;

  /**
   * @param base the URL under which clients reach the gateway, such as {@code
   *     https://api.example.com}; read for each URL because a port may be known only after the
   *     bind; empty until then
   */
  public PathSigner(BlobSigningKey key, InstantSource clock, Duration ttl, Supplier<String> base) {
    this.key = key;
    this.spec = new SecretKeySpec(key.secret().getBytes(US_ASCII), ALGORITHM);
    this.clock = clock;
    this.ttl = ttl;
    this.base = base;
  }

  /** Returns a URL that is valid for the configured time from now on. */
  public SignedUrl url(BlobName name) {
    String host = base.get();
    if (host.isEmpty()) {
      throw new IllegalStateException("a URL was requested before the gateway listens");
    }
    Instant until = Instant.ofEpochSecond(clock.instant().plus(ttl).getEpochSecond());
    String exp = Long.toString(until.getEpochSecond());
    String query = "?exp=" + exp + "&kid=" + key.id() + "&sig=" + signature(name, exp);
    return new SignedUrl(host + PREFIX + name + query, until);
  }

  /**
   * Returns the blob that a request may fetch; empty, without a reason, if the URL is not valid
   * now.
   */
  public Optional<BlobName> verify(String path, String query) {
    if (!path.startsWith(PREFIX)) {
      return Optional.empty();
    }
    Matcher form = QUERY.matcher(query);
    Optional<BlobName> name = BlobName.parse(path.substring(PREFIX.length()));
    if (name.isEmpty() || !form.matches() || !form.group(2).equals(key.id())) {
      return Optional.empty();
    }
    String exp = form.group(1);
    byte[] expected = signature(name.get(), exp).getBytes(US_ASCII);
    boolean isAuthentic = MessageDigest.isEqual(expected, form.group(3).getBytes(US_ASCII));
    boolean isExpired = clock.instant().getEpochSecond() >= Long.parseLong(exp);
    return isAuthentic && !isExpired ? name : Optional.empty();
  }

  private String signature(BlobName name, String exp) {
    String signed =
        String.join("\n", "v1", "GET", PREFIX + name, name.id(), name.owner(), exp, key.id());
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(spec);
      return HexFormat.of().formatHex(mac.doFinal(signed.getBytes(US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
    }
  }
}
