package dev.tollgate.core.dialect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What can be told of a Gemini model's abilities by its name. */
final class GeminiVersion {
  private static final Pattern NAME =
      Pattern.compile("gemini-(\\d{1,2})(?!\\d)(?:\\.(\\d{1,2})(?!\\d))?");

  private static final int THINKS_SINCE = 2_05;
  private static final int LEVELS_SINCE = 3_00;
  private static final int MEDIUM_OF_PRO_SINCE = 3_01;

  private GeminiVersion() {}

  /** Whether it thinks at all; a name without a number is that of a newer one. */
  static boolean thinks(String model) {
    int version = of(model);
    return version == 0 || version >= THINKS_SINCE;
  }

  /** Whether it thinks under a level; those before take a budget, and newer ones take that too. */
  static boolean hasLevels(String model) {
    return of(model) >= LEVELS_SINCE;
  }

  /** Whether a call that it is shown needs the signature of the thought behind it. */
  static boolean demandsSignatures(String model) {
    return of(model) >= LEVELS_SINCE;
  }

  /** Whether it still takes penalties. */
  static boolean takesPenalties(String model) {
    return of(model) < LEVELS_SINCE;
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

  /** 205 for 2.5; 0 where nothing can be told. */
  private static int of(String model) {
    Matcher name = NAME.matcher(model);
    if (!name.find()) {
      return 0;
    }
    String minor = name.group(2);
    return Integer.parseInt(name.group(1)) * 100 + (minor == null ? 0 : Integer.parseInt(minor));
  }
}
