package dev.tollgate.core.dialect;

/**
 * Derives a tool call id of nine letters and digits from an id that may come from another provider.
 * Equal ids have equal short ids, so that a result still finds its call.
 */
public final class ShortCallId {
  private static final int LENGTH = 9;
  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private ShortCallId() {}

  public static String of(String id) {
    return isShort(id) ? id : hashed(id);
  }

  private static boolean isShort(String id) {
    return id.length() == LENGTH && id.chars().allMatch(c -> ALPHABET.indexOf(c) >= 0);
  }

  private static String hashed(String id) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < id.length(); i++) {
      hash = (hash ^ id.charAt(i)) * FNV_PRIME;
    }
    StringBuilder text = new StringBuilder(LENGTH);
    for (int i = 0; i < LENGTH; i++) {
      text.append(ALPHABET.charAt((int) Long.remainderUnsigned(hash, ALPHABET.length())));
      hash = Long.divideUnsigned(hash, ALPHABET.length());
    }
    return text.toString();
  }
}
