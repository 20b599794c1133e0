package dev.tollgate.server.control.route;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Codec of list cursors: a version, a hash, and the position. The hash covers the position and the
 * filters that the list was read with, so that damage and other filters are noticed. A cursor
 * carries no rights, so it is not signed.
 */
final class Cursor {
  private static final byte VERSION = 1;
  private static final int HASH_BYTES = 8;
  private static final int CHARS_MAX = 1_000;

  private Cursor() {}

  static String encode(String filters, String position) {
    byte[] hash = hash(filters, position);
    byte[] where = position.getBytes(StandardCharsets.UTF_8);
    byte[] all = new byte[1 + HASH_BYTES + where.length];
    all[0] = VERSION;
    System.arraycopy(hash, 0, all, 1, HASH_BYTES);
    System.arraycopy(where, 0, all, 1 + HASH_BYTES, where.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
  }

  /** Returns the position; empty if the cursor is damaged or of a list with other filters. */
  static Optional<String> decode(String filters, String cursor) {
    if (cursor.length() > CHARS_MAX) {
      return Optional.empty();
    }
    byte[] all;
    try {
      all = Base64.getUrlDecoder().decode(cursor);
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
    int head = 1 + HASH_BYTES;
    if (all.length < head || all[0] != VERSION) {
      return Optional.empty();
    }
    String position = new String(all, head, all.length - head, StandardCharsets.UTF_8);
    return Arrays.equals(all, 1, head, hash(filters, position), 0, HASH_BYTES)
        ? Optional.of(position)
        : Optional.empty();
  }

  private static byte[] hash(String filters, String position) {
    try {
      byte[] text = (filters + "\n" + position).getBytes(StandardCharsets.UTF_8);
      return MessageDigest.getInstance("SHA-256").digest(text);
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every JDK has SHA-256", e);
    }
  }
}
