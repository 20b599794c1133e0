package dev.tollgate.core.catalog;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Removal of parts of credentials from a peer's text: any run of 8 characters of one, in letters of
 * any case, percent-encoded or in base64.
 */
final class CredentialTraces {
  private static final int RUN_CHARS = 8;
  private static final int PARTS_LENGTH_MIN = 12;
  private static final int WORDS_LENGTH_MIN = 24;

  private static final Pattern SEPARATORS = Pattern.compile("[^A-Za-z0-9+/=_.~%-]+");
  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{11,}");

  /** Run with a character that is not ASCII, which no credential has. */
  private static final long NO_RUN = -1;

  /** Runs of the credentials, each as eight bytes, sorted. */
  private final long[] runs;

  private CredentialTraces(long[] runs) {
    this.runs = runs;
  }

  static CredentialTraces of(Collection<String> credentials) {
    return new CredentialTraces(
        credentials.stream()
            .flatMap(SEPARATORS::splitAsStream)
            .filter(CredentialTraces::isSecretive)
            .flatMap(secret -> Stream.of(secret, percentEncoded(secret)))
            .flatMapToLong(CredentialTraces::runs)
            .filter(run -> run != NO_RUN)
            .sorted()
            .toArray());
  }

  /** True unless it is so short or so plain that its parts also occur in ordinary texts. */
  private static boolean isSecretive(String text) {
    boolean hasDigit = text.chars().anyMatch(c -> c >= '0' && c <= '9');
    boolean hasLetter = text.chars().anyMatch(Character::isLetter);
    return text.length() >= (hasDigit && hasLetter ? PARTS_LENGTH_MIN : WORDS_LENGTH_MIN);
  }

  private static String percentEncoded(String text) {
    return text.replace("%", "%25").replace("+", "%2b").replace("/", "%2f").replace("=", "%3d");
  }

  private static LongStream runs(String text) {
    return LongStream.rangeClosed(0, text.length() - RUN_CHARS).map(i -> run(text, (int) i));
  }

  private static long run(String text, int from) {
    long run = 0;
    for (int i = from; i < from + RUN_CHARS; i++) {
      char c = text.charAt(i);
      if (c > 0x7f) {
        return NO_RUN;
      }
      run = run << 8 | (c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return run;
  }

  /** Returns a text with {@code ***} for each part of a credential. */
  String removedFrom(String text) {
    if (runs.length == 0 || text.length() < RUN_CHARS) {
      return text;
    }
    BitSet found = found(text);
    BASE64
        .matcher(text)
        .results()
        .filter(this::hidesRun)
        .forEach(encoded -> found.set(encoded.start(), encoded.end()));
    if (found.isEmpty()) {
      return text;
    }
    var rest = new StringBuilder();
    for (int at = 0; at < text.length(); ) {
      int begin = found.nextSetBit(at);
      if (begin < 0) {
        return rest.append(text, at, text.length()).toString();
      }
      rest.append(text, at, begin).append("***");
      at = found.nextClearBit(begin);
    }
    return rest.toString();
  }

  private BitSet found(String text) {
    var found = new BitSet(text.length());
    for (int i = 0; i + RUN_CHARS <= text.length(); i++) {
      if (Arrays.binarySearch(runs, run(text, i)) >= 0) {
        found.set(i, i + RUN_CHARS);
      }
    }
    return found;
  }

  /** True if a part of the text is base64 of a run; it may be cut off at both ends. */
  private boolean hidesRun(MatchResult text) {
    String encoded = text.group().replace('+', '-').replace('/', '_');
    for (int skipped = 0; skipped < 4; skipped++) {
      int length = (encoded.length() - skipped) / 4 * 4;
      byte[] decoded = Base64.getUrlDecoder().decode(encoded.substring(skipped, skipped + length));
      if (!found(new String(decoded, StandardCharsets.ISO_8859_1)).isEmpty()) {
        return true;
      }
    }
    return false;
  }
}
