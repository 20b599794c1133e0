package dev.tollgate.server.account.signin;

import dev.tollgate.core.fault.Fault.Issue;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Rules of the fields of an account that people write themselves. */
final class UserFields {
  private static final int NAME_CHARS_MAX = 100;
  private static final Pattern LOCALE = Pattern.compile("[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}");

  private UserFields() {}

  static void checkName(@Nullable String name, List<Issue> issues) {
    if (name != null
        && (name.isBlank()
            || name.length() > NAME_CHARS_MAX
            || !name.equals(name.strip())
            || name.codePoints().anyMatch(Character::isISOControl))) {
      issues.add(new Issue("name", "must have 1 to 100 characters and no space around it"));
    }
  }

  static void checkTimezone(@Nullable String timezone, List<Issue> issues) {
    if (timezone == null) {
      return;
    }
    try {
      ZoneId.of(timezone);
    } catch (DateTimeException e) {
      issues.add(new Issue("timezone", "must be the name of a time zone, such as Europe/Zurich"));
    }
  }

  static void checkLocale(@Nullable String locale, List<Issue> issues) {
    if (locale != null && !LOCALE.matcher(locale).matches()) {
      issues.add(new Issue("locale", "must be a language tag, such as en or de-CH"));
    }
  }
}
