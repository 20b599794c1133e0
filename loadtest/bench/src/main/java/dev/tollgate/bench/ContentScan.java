package dev.tollgate.bench;

import java.nio.charset.StandardCharsets;

/**
 * Finds the content text in a streamed chat chunk and hashes it. It neither parses JSON nor
 * allocates: it runs for each event in the driver's loop.
 */
final class ContentScan {
  /** Hash of a chunk without content. */
  static final long NOTHING = 0;

  private static final byte[] MEMBER = "\"content\":\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ERROR = "{\"error\"".getBytes(StandardCharsets.US_ASCII);
  private static final long PRIME = 0x100_0000_01b3L;
  private static final long BASIS = 0xcbf2_9ce4_8422_2325L;

  private ContentScan() {}

  /** Returns a hash of the first content text, {@link #NOTHING} if there is none or it is empty. */
  static long hash(byte[] data, int from, int to) {
    int at = textStart(data, from, to);
    if (at < 0 || at == to || data[at] == '"') {
      return NOTHING;
    }
    long hash = BASIS;
    while (at < to && data[at] != '"') {
      if (data[at] == '\\' && at + 1 < to) {
        hash = (hash ^ data[at++]) * PRIME;
      }
      hash = (hash ^ data[at++]) * PRIME;
    }
    return hash == NOTHING ? BASIS : hash;
  }

  static boolean isDone(byte[] data, int from, int to) {
    return to - from == DONE.length && begins(DONE, data, from, to);
  }

  static boolean isError(byte[] data, int from, int to) {
    return begins(ERROR, data, from, to);
  }

  private static int textStart(byte[] data, int from, int to) {
    for (int at = from; at <= to - MEMBER.length; at++) {
      if (data[at] == '"' && begins(MEMBER, data, at, to)) {
        return at + MEMBER.length;
      }
    }
    return -1;
  }

  private static boolean begins(byte[] text, byte[] data, int from, int to) {
    if (to - from < text.length) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      if (data[from + i] != text[i]) {
        return false;
      }
    }
    return true;
  }
}
