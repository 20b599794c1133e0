package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Drawn.Level;

/**
 * When a bucket will be full again, as clients are told (DECISIONS 1): {@code 1.2s}, {@code 6m0s}.
 */
final class Reset {
  // Further away than anybody waits, and its product with a period fits a long.
  private static final long MISSING_MAX = 100_000_000_000L;

  private Reset() {}

  static String of(Bucket bucket, Level level) {
    long missing = Math.clamp(bucket.capacity() - level.remaining(), 0, MISSING_MAX);
    return text(Math.ceilDiv(missing * bucket.unit().periodMicros(), bucket.capacity()));
  }

  /** Milliseconds below a minute, whole seconds above, always rounded up. */
  static String text(long micros) {
    long millis = Math.ceilDiv(micros, 1_000);
    if (millis < 60_000) {
      return millis / 1_000 + fraction(millis % 1_000) + "s";
    }
    long seconds = Math.ceilDiv(micros, 1_000_000);
    return seconds / 60 + "m" + seconds % 60 + "s";
  }

  private static String fraction(long millis) {
    if (millis == 0) {
      return "";
    }
    String digits = Long.toString(1_000 + millis);
    int end = digits.length();
    while (digits.charAt(end - 1) == '0') {
      end--;
    }
    return "." + digits.substring(1, end);
  }
}
