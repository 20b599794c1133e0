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
 * How long a provider asks us to wait, in whole seconds rounded up and at most an hour; 0 where it
 * says nothing. What cannot be read counts as a minute: it is no leave to ask at once.
 */
public final class RetryAfter {
  private static final int SECONDS_MAX = 3_600;
  private static final int SECONDS_UNREADABLE = 60;
  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,12})?");

  private RetryAfter() {}

  /** Whether a field says it at all, be it that no wait is needed. */
  public static boolean isIn(Headers headers) {
    return headers.first("retry-after-ms") != null || headers.first("retry-after") != null;
  }

  /** What the fields say: in milliseconds if they do, else in seconds. */
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

  /** A decimal number of seconds; 0 where it is none. */
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

  // By the provider's own clock: ours may differ.
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
