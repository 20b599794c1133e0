package dev.tollgate.core.storage;

import dev.tollgate.core.id.OrgId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of a stored blob, composed of its last day, a hash of its owner, a random id and its type.
 * An example is {@code 20261129/9f86d081884c7d65/4k0v….png}; the id has 130 random bits. No other
 * text is a name, so no name leads out of its store.
 *
 * @param day the last day on which the blob is kept, in UTC
 * @param owner a one-way hash of the organization's id
 */
public record BlobName(String day, String owner, String id, BlobType type) {
  private static final Pattern FORM =
      Pattern.compile("([0-9]{8})/([0-9a-f]{16})/([0-9a-hjkmnp-tv-z]{26})\\.([0-9a-z]{3,4})");

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("uuuuMMdd").withZone(ZoneOffset.UTC);
  private static final String CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int ID_LENGTH = 26;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Returns a new name for a blob that is stored at {@code now}. */
  public static BlobName of(Blob blob, Instant now) {
    return new BlobName(
        DAY.format(now.plus(blob.retention())), ownerOf(blob.org()), freshId(), blob.type());
  }

  /** Parses a printed name; empty if the text is not one. */
  public static Optional<BlobName> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    return BlobType.ofExtension(form.group(4))
        .map(type -> new BlobName(form.group(1), form.group(2), form.group(3), type));
  }

  /** Returns the day of the names whose blobs expire at its end. */
  public static String today(Instant now) {
    return DAY.format(now);
  }

  /** Returns a one-way hash of the organization's id. */
  private static String ownerOf(OrgId org) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(org.toString().getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String freshId() {
    StringBuilder id = new StringBuilder(ID_LENGTH);
    for (int i = 0; i < ID_LENGTH; i++) {
      id.append(CROCKFORD.charAt(RANDOM.nextInt(CROCKFORD.length())));
    }
    return id.toString();
  }

  @Override
  public String toString() {
    return day + "/" + owner + "/" + id + "." + type.extension();
  }
}
