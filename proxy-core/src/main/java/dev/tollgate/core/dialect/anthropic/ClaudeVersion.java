package dev.tollgate.core.dialect.anthropic;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Derives what a Claude model supports from the version in its name, at any host. */
public final class ClaudeVersion {
  /** Family, major and minor: {@code claude-opus-4-6}, {@code anthropic.claude-sonnet-4-5-…}. */
  private static final Pattern NAME =
      Pattern.compile("claude-[a-z]+-(\\d{1,2})(?!\\d)(?:[-.](\\d{1,2})(?!\\d))?");

  private static final int SCHEMAS_SINCE = 4_05;
  private static final int ADAPTIVE_SINCE = 4_06;
  private static final int NO_PREFILL_SINCE = 4_06;
  private static final int NO_SAMPLING_SINCE = 4_07;

  private ClaudeVersion() {}

  /** True if the model decides how much it reasons, without a budget. */
  static boolean isAdaptive(String model) {
    return of(model) >= ADAPTIVE_SINCE;
  }

  /** True if the model continues an answer that the conversation ends with. */
  public static boolean takesPrefill(String model) {
    return of(model) < NO_PREFILL_SINCE;
  }

  /** True if the model enforces a schema of its answer. */
  public static boolean takesSchemas(String model) {
    return of(model) >= SCHEMAS_SINCE;
  }

  /** True if the model accepts sampling parameters. */
  public static boolean takesSampling(String model) {
    return of(model) < NO_SAMPLING_SINCE;
  }

  /** Returns 406 for 4.6; 0 if unknown, as for older generations that put the number first. */
  private static int of(String model) {
    Matcher name = NAME.matcher(model);
    if (!name.find()) {
      return 0;
    }
    String minor = name.group(2);
    return Integer.parseInt(name.group(1)) * 100 + (minor == null ? 0 : Integer.parseInt(minor));
  }
}
