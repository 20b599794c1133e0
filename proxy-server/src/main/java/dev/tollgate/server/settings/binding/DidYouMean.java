package dev.tollgate.server.settings.binding;

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
        .filter(word -> editDistance(plain, plain(word)) <= Math.min(EDITS_MAX, word.length() - 1))
        .min(Comparator.comparingInt(word -> editDistance(plain, plain(word))));
  }

  private static String plain(String word) {
    return word.toLowerCase(Locale.ROOT).replace('-', '_');
  }

  /** Returns the Damerau-Levenshtein distance: insert, delete, replace, or swap two neighbours. */
  static int editDistance(String a, String b) {
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      cost[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      cost[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int replace = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        cost[i][j] = Math.min(replace, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[a.length()][b.length()];
  }
}
