package dev.tollgate.server.account.signin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.Refused;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a new password must be: 12 to 256 characters, not a common one, and not the account's own
 * address or name. There are no rules of composition.
 */
public final class PasswordRules {
  public static final int CHARS_MIN = 12;
  public static final int CHARS_MAX = 256;

  /** A common password repeated, such as {@code qwertyqwerty}, is as common. */
  private static final int REPEATED_CHARS_MAX = 8;

  private static final Set<String> COMMON = read();

  private PasswordRules() {}

  /** Returns the form that is hashed, so that one password typed on two systems is one. */
  static String normalized(Secret password) {
    return Normalizer.normalize(password.reveal(), Normalizer.Form.NFKC);
  }

  /** Returns why a password is refused; empty if it is accepted. */
  static Optional<Issue> problem(String param, Secret password, EmailAddress email, String name) {
    String text = normalized(password);
    int chars = text.codePointCount(0, text.length());
    if (chars < CHARS_MIN || chars > CHARS_MAX) {
      return Optional.of(new Issue(param, "must have 12 to 256 characters"));
    }
    String lower = text.toLowerCase(Locale.ROOT);
    if (COMMON.contains(lower) || isRepeated(lower)) {
      return Optional.of(new Issue(param, "is one of the most common passwords"));
    }
    if (lower.equals(email.key())
        || lower.equalsIgnoreCase(email.text())
        || lower.equalsIgnoreCase(name)) {
      return Optional.of(new Issue(param, "must not be the address or the name"));
    }
    return Optional.empty();
  }

  /**
   * Requires an acceptable password.
   *
   * @throws Refused 400 if it is not
   */
  static void require(String param, Secret password, EmailAddress email, String name) {
    Optional<Issue> problem = problem(param, password, email, name);
    if (problem.isPresent()) {
      throw Refused.invalid(List.of(problem.get()));
    }
  }

  private static boolean isRepeated(String text) {
    for (int length = 1; length <= Math.min(REPEATED_CHARS_MAX, text.length() / 2); length++) {
      if (text.startsWith(text.substring(length))) {
        return true;
      }
    }
    return false;
  }

  private static Set<String> read() {
    try (InputStream list =
        Objects.requireNonNull(PasswordRules.class.getResourceAsStream("common-passwords.txt"))) {
      return new String(list.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .collect(Collectors.toUnmodifiableSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
