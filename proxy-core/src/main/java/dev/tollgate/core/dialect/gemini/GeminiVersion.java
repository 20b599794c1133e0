package dev.tollgate.core.dialect.gemini;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What can be told of a Gemini model's abilities by its name. */
final class GeminiVersion {
  private static final Pattern NAME =
      Pattern.compile("gemini-(\\d{1,2})(?!\\d)(?:\\.(\\d{1,2})(?!\\d))?");

  private static final int SECOND = 2_00;
  private static final int THINKS_SINCE = 2_05;
  private static final int THIRD = 3_00;
  private static final int MEDIUM_OF_PRO_SINCE = 3_01;

  /** That of a name without a number, which is the provider's alias of its latest. */
  private static final int LATEST = Integer.MAX_VALUE;

  private GeminiVersion() {}

  /** Whether it thinks at all. */
  static boolean thinks(String model) {
    return of(model) >= THINKS_SINCE;
  }

  /** Whether it thinks under a level; those before take a budget, and newer ones take that too. */
  static boolean hasLevels(String model) {
    return of(model) >= THIRD;
  }

  /** Whether a call that it is shown needs the signature of the thought behind it. */
  static boolean demandsSignatures(String model) {
    return of(model) >= THIRD;
  }

  /** Whether calls and their results carry the ids of the calls. */
  static boolean hasCallIds(String model) {
    return of(model) >= THIRD;
  }

  /** Whether it may be given tools and be held to JSON in one request. */
  static boolean takesFormatBesideTools(String model) {
    return of(model) >= THIRD;
  }

  /** Whether it takes penalties, as only those between the first and the thinking ones do. */
  static boolean takesPenalties(String model) {
    return of(model) >= SECOND && of(model) < THINKS_SINCE;
  }

  /** The fewest tokens of thought that it can be bound to. */
  static int budgetMin(String model) {
    return isPro(model) ? 128 : model.contains("-lite") ? 512 : 1;
  }

  /** The most tokens of thought that it can be bound to. */
  static int budgetMax(String model) {
    return isPro(model) ? 32_768 : 24_576;
  }

  /** Whether it cannot but think. */
  static boolean alwaysThinks(String model) {
    return hasLevels(model) || isPro(model);
  }

  static boolean isPro(String model) {
    return model.contains("-pro");
  }

  static boolean hasMediumLevel(String model) {
    return !isPro(model) || of(model) >= MEDIUM_OF_PRO_SINCE;
  }

  /** 205 for 2.5. */
  private static int of(String model) {
    Matcher name = NAME.matcher(model);
    if (!name.find()) {
      return LATEST;
    }
    String minor = name.group(2);
    return Integer.parseInt(name.group(1)) * 100 + (minor == null ? 0 : Integer.parseInt(minor));
  }
}
