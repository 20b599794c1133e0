package dev.tollgate.core.dialect;

/**
 * Names of tools that a provider accepts: letters and digits, and some marks. Its other names are
 * sent as stand-ins.
 *
 * @param charsMax longest name; {@link Integer#MAX_VALUE} means that every name is accepted
 * @param marks characters besides letters and digits, with the underscore among them
 * @param wordFirst true if a name begins with a letter or an underscore
 */
public record ToolNameRule(int charsMax, String marks, boolean wordFirst) {
  public static final ToolNameRule ANY = new ToolNameRule(Integer.MAX_VALUE, "_", false);

  /** Names that OpenAI accepts in chats. */
  public static final ToolNameRule OPENAI = new ToolNameRule(64, "_-", false);

  /** True if the provider accepts a name. */
  public boolean takes(String name) {
    return charsMax == Integer.MAX_VALUE
        || (name.length() <= charsMax
            && !name.isEmpty()
            && isFirst(name.charAt(0))
            && name.chars().allMatch(this::isTaken));
  }

  private boolean isFirst(int c) {
    return wordFirst ? isLetter(c) || c == '_' : isTaken(c);
  }

  private boolean isTaken(int c) {
    return isLetter(c) || (c >= '0' && c <= '9') || marks.indexOf(c) >= 0;
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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
    if (!name.isEmpty() && !isFirst(name.charAt(0)) && isTaken(name.charAt(0))) {
      plain.append('_');
    }
    name.chars().forEach(c -> plain.append(isTaken(c) ? (char) c : '_'));
    plain.setLength(Math.min(plain.length(), charsMax - end.length()));
    return plain.append(end).toString();
  }
}
