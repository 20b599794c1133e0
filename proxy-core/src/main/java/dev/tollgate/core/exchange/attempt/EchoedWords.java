package dev.tollgate.core.exchange.attempt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Search for the words at the beginning of a provider's error in the request that it answers: a
 * provider may repeat there what the client wrote.
 */
final class EchoedWords {
  private static final int SEARCHED_BYTES_MAX = 256 * 1024;

  private static final int WORDS_READ_MAX = 8;

  /** Number of neighbouring words that are not there by chance. */
  private static final int WORDS_TOGETHER = 3;

  private EchoedWords() {}

  /** True if a request's body is still there, and not too large for the event loop. */
  static boolean canSearch(List<ByteBuf> body) {
    long bytes = body.stream().mapToLong(ByteBuf::readableBytes).sum();
    return bytes > 0 && bytes <= SEARCHED_BYTES_MAX;
  }

  /** True if some neighbouring words at the beginning of the message may be the request's. */
  static boolean areIn(List<ByteBuf> body, String message) {
    String[] words = words(message).strip().split(" ", WORDS_READ_MAX + 1);
    int read = Math.min(words.length, WORDS_READ_MAX);
    int together = Math.min(read, WORDS_TOGETHER);
    var text = new StringBuilder();
    body.forEach(part -> text.append(part.toString(ISO_8859_1)));
    String searched = words(text);
    for (int from = 0; from + together <= read; from++) {
      String some = " " + String.join(" ", List.of(words).subList(from, from + together)) + " ";
      if (!some.isBlank() && searched.contains(some)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the words of a text or of JSON in lower case, each between spaces. */
  private static String words(CharSequence text) {
    var words = new StringBuilder(text.length() + 2).append(' ');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        int escaped = escaped(text, i + 1);
        i += escaped < 0 ? 1 : 5;
        c = escaped < 0 ? ' ' : (char) escaped;
      }
      boolean isKept = Character.isLetterOrDigit(c);
      if (isKept || words.charAt(words.length() - 1) != ' ') {
        words.append(isKept ? Character.toLowerCase(c) : ' ');
      }
    }
    return words.append(' ').toString();
  }

  /** Returns the character of an escape that begins with a u; -1 if it is another one. */
  private static int escaped(CharSequence text, int at) {
    if (text.charAt(at) != 'u' || at + 5 > text.length()) {
      return -1;
    }
    int value = 0;
    for (int i = at + 1; i < at + 5; i++) {
      value = value * 16 + Character.digit(text.charAt(i), 16);
    }
    return value < 0 ? -1 : value;
  }
}
