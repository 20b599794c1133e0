package dev.tollgate.core.dialect.gemini;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Derives what a Gemini model supports from the version in its name. */
final class GeminiVersion {
  private static final Pattern NAME =
      Pattern.compile("gemini-(\\d{1,2})(?!\\d)(?:\\.(\\d{1,2})(?!\\d))?");

  private static final int SECOND = 2_00;
  private static final int THINKS_SINCE = 2_05;
  private static final int THIRD = 3_00;
  private static final int MEDIUM_OF_PRO_SINCE = 3_01;

  /** Version of a name without a number, which is the provider's alias of its latest model. */
  private static final int LATEST = Integer.MAX_VALUE;

  private GeminiVersion() {}

  /** True if the model reasons. */
  static boolean thinks(String model) {
    return of(model) >= THINKS_SINCE;
  }

  /**
   * True if the model has levels of reasoning; older models have budgets, which newer ones accept
   * too.
   */
  static boolean hasLevels(String model) {
    return of(model) >= THIRD;
  }

  /** True if the model requires a signature with an earlier call. */
  static boolean demandsSignatures(String model) {
    return of(model) >= THIRD;
  }

  /** True if calls and their results have ids. */
  static boolean hasCallIds(String model) {
    return of(model) >= THIRD;
  }

  /** True if results of tools may contain pictures and documents. */
  static boolean takesMediaInResults(String model) {
    return of(model) >= THIRD;
  }

  /** True if one request may have both tools and a JSON format. */
  static boolean takesFormatBesideTools(String model) {
    return of(model) >= THIRD;
  }

  /** True if the model accepts penalties: only versions from 2 up to the first that reasons do. */
  static boolean takesPenalties(String model) {
    return of(model) >= SECOND && of(model) < THINKS_SINCE;
  }

  /** Returns the lowest budget of reasoning tokens. */
  static int budgetMin(String model) {
    return isPro(model) ? 128 : model.contains("-lite") ? 512 : 1;
  }

  /** Returns the highest budget of reasoning tokens. */
  static int budgetMax(String model) {
    return isPro(model) ? 32_768 : 24_576;
  }

  /** True if reasoning cannot be disabled. */
  static boolean alwaysThinks(String model) {
    return hasLevels(model) || isPro(model);
  }

  static boolean isPro(String model) {
    return model.contains("-pro");
  }

  static boolean hasMediumLevel(String model) {
    return !isPro(model) || of(model) >= MEDIUM_OF_PRO_SINCE;
  }

  /** Returns 205 for 2.5. */
  private static int of(String model) {
    Matcher name = NAME.matcher(model);
    if (!name.find()) {
      return LATEST;
    }
    String minor = name.group(2);
    return Integer.parseInt(name.group(1)) * 100 + (minor == null ? 0 : Integer.parseInt(minor));
  }
}
