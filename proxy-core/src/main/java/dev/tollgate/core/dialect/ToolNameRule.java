package dev.tollgate.core.dialect;

import java.util.function.IntPredicate;

/** Names of tools that a provider accepts. Its other names are sent as stand-ins. */
public enum ToolNameRule {
  /** Every name. */
  ANY(Integer.MAX_VALUE, c -> true, c -> true),
  OPENAI(64, ToolNameRule::isWordOrDash, ToolNameRule::isWordOrDash),
  ANTHROPIC(128, ToolNameRule::isWordOrDash, ToolNameRule::isWordOrDash),
  BEDROCK(64, ToolNameRule::isWordOrDash, ToolNameRule::isWordOrDash),
  GEMINI(64, ToolNameRule::isBeginning, c -> isWordOrDash(c) || c == '.' || c == ':'),
  COHERE(64, ToolNameRule::isBeginning, c -> isBeginning(c) || isDigit(c));

  private final int charsMax;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
  private final IntPredicate isFirst;

  @SuppressWarnings("ImmutableEnumChecker")
  private final IntPredicate isOther;

  ToolNameRule(int charsMax, IntPredicate isFirst, IntPredicate isOther) {
    this.charsMax = charsMax;
    this.isFirst = isFirst;
    this.isOther = isOther;
  }

  private static boolean isBeginning(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isWordOrDash(int c) {
    return isBeginning(c) || isDigit(c) || c == '-';
  }

  /** True if the provider accepts a name. */
  public boolean takes(String name) {
    return name.length() <= charsMax
        && !name.isEmpty()
        && isFirst.test(name.charAt(0))
        && name.chars().allMatch(isOther);
  }

  /**
   * Returns the name that the provider gets: the same, or else one that begins alike and is always
   * the same for one name.
   */
  public String sent(String name) {
    return takes(name) ? name : standIn(name);
  }

  private String standIn(String name) {
    String end = "_" + ShortCallId.of(name);
    StringBuilder plain = new StringBuilder(charsMax);
    if (!name.isEmpty() && !isFirst.test(name.charAt(0)) && isOther.test(name.charAt(0))) {
      plain.append('_');
    }
    name.chars().forEach(c -> plain.append(isOther.test(c) ? (char) c : '_'));
    plain.setLength(Math.min(plain.length(), charsMax - end.length()));
    return plain.append(end).toString();
  }
}
