package dev.tollgate.core.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Splits of bytes, written as Latin-1 text, into the pieces that a socket delivers. */
final class ByteSplits {
  private static final int RANDOM_CUTS = 10;
  private static final int CUTS_MAX = 250;

  private ByteSplits() {}

  /**
   * Returns the result of {@code decode} for the whole bytes, after checking that it is the same
   * byte by byte, split in two and at random.
   */
  static List<String> sameForAll(
      String bytes, Random random, Function<List<String>, List<String>> decode) {
    List<String> whole = decode.apply(List.of(bytes));
    same(whole, everyByte(bytes), decode);
    for (int at = 1; at < bytes.length(); at += 1 + bytes.length() / CUTS_MAX) {
      same(whole, List.of(bytes.substring(0, at), bytes.substring(at)), decode);
    }
    for (int i = 0; i < RANDOM_CUTS; i++) {
      same(whole, random(bytes, random), decode);
    }
    return whole;
  }

  static List<String> everyByte(String bytes) {
    return bytes.chars().mapToObj(c -> String.valueOf((char) c)).toList();
  }

  /** Returns many small pieces and some long ones. */
  static List<String> random(String bytes, Random random) {
    List<String> pieces = new ArrayList<>();
    int from = 0;
    while (from < bytes.length()) {
      int length = 1 + random.nextInt(random.nextInt(8) == 0 ? 4096 : 16);
      int to = Math.min(bytes.length(), from + length);
      pieces.add(bytes.substring(from, to));
      from = to;
    }
    return pieces;
  }

  private static void same(
      List<String> whole, List<String> pieces, Function<List<String>, List<String>> decode) {
    List<String> other = decode.apply(pieces);
    if (!other.equals(whole)) {
      throw new AssertionError("whole: " + whole + "\nas " + pieces + ": " + other);
    }
  }
}
