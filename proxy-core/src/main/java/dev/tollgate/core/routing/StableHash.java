package dev.tollgate.core.routing;

/** 64-bit hash functions with the same results on every node, for sticky routing and jitter. */
final class StableHash {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private StableHash() {}

  /** Returns the hash of a text. */
  static long of(CharSequence text) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return mixed(hash);
  }

  /**
   * Returns a value of which every bit depends on every bit of {@code value} (SplitMix64's
   * finisher).
   */
  static long mixed(long value) {
    long z = value + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** Returns a number of 0 to {@code max}, derived from a value. */
  static long percent(long value, int max) {
    return Long.remainderUnsigned(mixed(value), max + 1L);
  }

  /** Returns a number above 0 and at most 1, derived from a value. */
  static double unit(long value) {
    return ((mixed(value) >>> 11) + 1) * 0x1p-53;
  }
}
