package dev.tollgate.server.settings.value;

import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parser and printer of byte counts in settings: {@code 512}, {@code 32KiB}, {@code 10MiB}, {@code
 * 1GiB}.
 */
public final class ByteSize {
  private static final Pattern FORM = Pattern.compile("(\\d{1,15})(B|KiB|MiB|GiB|TiB)?");
  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");

  private ByteSize() {}

  /** Returns the number of bytes. */
  public static OptionalLong parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    long number = Long.parseLong(matcher.group(1));
    String unit = matcher.group(2) == null ? "B" : matcher.group(2);
    int shift = 10 * UNITS.indexOf(unit);
    return number > Long.MAX_VALUE >> shift
        ? OptionalLong.empty()
        : OptionalLong.of(number << shift);
  }

  /** Returns the shortest exact text form. */
  public static String print(long bytes) {
    int unit = 0;
    long number = bytes;
    while (number != 0 && number % 1024 == 0 && unit < UNITS.size() - 1) {
      number /= 1024;
      unit++;
    }
    return number + (unit == 0 ? "" : UNITS.get(unit));
  }
}
