package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.Refused;
import java.net.IDN;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;

/**
 * E-mail address of an account.
 *
 * @param text as the person wrote it
 * @param key the form in which addresses are compared: NFKC, lower case, the domain in ASCII
 */
public record EmailAddress(String text, String key) {
  static final String EXPECTED = "must be an e-mail address, such as a@b.example";
  private static final int CHARS_MAX = 254;
  private static final int LOCAL_CHARS_MAX = 64;

  /** Characters with a meaning in the header of a mail. */
  private static final String NOT_IN_LOCAL_PART = "()<>[]:;,@\\\"";

  /** Returns the address; empty if the text is none. */
  public static Optional<EmailAddress> parse(String text) {
    String normalized = Normalizer.normalize(text, Normalizer.Form.NFKC);
    int at = normalized.lastIndexOf('@');
    if (at < 1 || at > LOCAL_CHARS_MAX || text.length() > CHARS_MAX) {
      return Optional.empty();
    }
    String local = normalized.substring(0, at);
    if (local.codePoints().anyMatch(EmailAddress::isUnusable)) {
      return Optional.empty();
    }
    return domain(normalized.substring(at + 1))
        .map(domain -> local.toLowerCase(Locale.ROOT) + "@" + domain)
        .filter(key -> key.length() <= CHARS_MAX)
        .map(key -> new EmailAddress(text, key));
  }

  /**
   * Returns the address.
   *
   * @throws Refused 400 if the text is none
   */
  public static EmailAddress require(String param, String text) {
    return parse(text).orElseThrow(() -> Refused.invalid(param, EXPECTED));
  }

  private static boolean isUnusable(int c) {
    return Character.isWhitespace(c)
        || Character.isSpaceChar(c)
        || Character.getType(c) == Character.CONTROL
        || Character.getType(c) == Character.FORMAT
        || NOT_IN_LOCAL_PART.indexOf(c) >= 0;
  }

  private static Optional<String> domain(String text) {
    try {
      String ascii = IDN.toASCII(text, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
      return ascii.isEmpty() || ascii.startsWith(".") || ascii.endsWith(".")
          ? Optional.empty()
          : Optional.of(ascii);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
