package dev.tollgate.server.settings.binding;

import dev.tollgate.core.id.NameDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * Spelling suggestions for error messages: the known word nearest to a misspelled one, within two
 * edits.
 */
public final class DidYouMean {
  private static final int EDITS_MAX = 2;

  private DidYouMean() {}

  /** Returns {@code "; did you mean x?"}, or the empty text. */
  public static String hint(String written, Collection<String> known) {
    return nearest(written, known).map(word -> "; did you mean " + word + "?").orElse("");
  }

  /** Letter case and the choice of {@code -} or {@code _} do not count as edits. */
  static Optional<String> nearest(String written, Collection<String> known) {
    String plain = plain(written);
    return known.stream()
        .filter(
            word ->
                NameDistance.edits(plain, plain(word)) <= Math.min(EDITS_MAX, word.length() - 1))
        .min(Comparator.comparingInt(word -> NameDistance.edits(plain, plain(word))));
  }

  private static String plain(String word) {
    return word.toLowerCase(Locale.ROOT).replace('-', '_');
  }
}
