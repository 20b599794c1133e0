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
 * The name of a kept blob: the day after which it is deleted, whose it is, 130 random bits and its
 * kind, as in {@code 20261129/9f86d081884c7d65/4k0v….png}. Nothing else can be a name, so none
 * leads out of its store.
 *
 * @param day the last one on which it is kept, in UTC
 * @param owner stands for the organization, and does not tell which
 */
public record BlobName(String day, String owner, String id, BlobType type) {
  private static final Pattern FORM =
      Pattern.compile("([0-9]{8})/([0-9a-f]{16})/([0-9a-hjkmnp-tv-z]{26})\\.([0-9a-z]{3,4})");

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("uuuuMMdd").withZone(ZoneOffset.UTC);
  private static final String CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int ID_LENGTH = 26;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** A new name for a blob that is kept from {@code now} on. */
  public static BlobName of(Blob blob, Instant now) {
    return new BlobName(
        DAY.format(now.plus(blob.retention())), ownerOf(blob.org()), freshId(), blob.type());
  }

  /** A name as it was printed; empty: there is none of this form. */
  public static Optional<BlobName> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    return BlobType.ofExtension(form.group(4))
        .map(type -> new BlobName(form.group(1), form.group(2), form.group(3), type));
  }

  /** The day of names that are over with the end of it. */
  public static String today(Instant now) {
    return DAY.format(now);
  }

  /** The same organization is always the same owner; the other way round nobody gets. */
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
