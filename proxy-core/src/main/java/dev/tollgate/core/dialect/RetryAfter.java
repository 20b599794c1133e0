package dev.tollgate.core.dialect;

import dev.tollgate.core.http.Headers;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses the retry delay in a provider's response headers, in whole seconds rounded up and at most
 * an hour. The delay is 0 if there is none. A value that cannot be parsed counts as a minute, since
 * it does not permit an immediate retry.
 */
public final class RetryAfter {
  private static final int SECONDS_MAX = 3_600;
  private static final int SECONDS_UNREADABLE = 60;
  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,12})?");

  private RetryAfter() {}

  /** True if a field states a wait, even one of zero. */
  public static boolean isIn(Headers headers) {
    return headers.first("retry-after-ms") != null || headers.first("retry-after") != null;
  }

  /** Returns the wait that the fields state: in milliseconds if present, else in seconds. */
  public static int of(Headers headers) {
    int ofMillis = seconds(headers.first("retry-after-ms"), -3);
    String text = headers.first("retry-after");
    if (ofMillis > 0 || text == null || text.isEmpty()) {
      return ofMillis;
    }
    return DECIMAL.matcher(text).matches()
        ? seconds(text)
        : untilDate(text, headers.first("date")).orElse(SECONDS_UNREADABLE);
  }

  /** Parses a decimal number of seconds; 0 if it is none. */
  public static int seconds(@Nullable String text) {
    return seconds(text, 0);
  }

  private static int seconds(@Nullable String text, int powerOfTen) {
    return text == null || !DECIMAL.matcher(text).matches()
        ? 0
        : new BigDecimal(text)
            .scaleByPowerOfTen(powerOfTen)
            .min(BigDecimal.valueOf(SECONDS_MAX))
            .setScale(0, RoundingMode.CEILING)
            .intValueExact();
  }

  // Computed with the provider's own clock, which may differ from this node's; a head without Date
  // has the time of its receipt instead.
  private static OptionalInt untilDate(String text, @Nullable String date) {
    OptionalLong then = epochSeconds(text);
    OptionalLong now = date == null ? OptionalLong.empty() : epochSeconds(date);
    return then.isEmpty() || now.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(Math.clamp(then.getAsLong() - now.getAsLong(), 0, SECONDS_MAX));
  }

  private static OptionalLong epochSeconds(String date) {
    try {
      return OptionalLong.of(
          OffsetDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond());
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }
}
