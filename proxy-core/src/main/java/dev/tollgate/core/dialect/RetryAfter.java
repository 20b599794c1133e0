package dev.tollgate.core.dialect;

import dev.tollgate.core.http.Headers;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How long a provider asks us to wait, in whole seconds rounded up; 0 where it says nothing. */
final class RetryAfter {
  private static final BigDecimal SECONDS_MAX = BigDecimal.valueOf(60);
  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,12})?");

  private RetryAfter() {}

  /** What the fields say: in milliseconds if they do, else in seconds. */
  static int of(Headers headers) {
    int ofMillis = roundedUp(decimal(headers.first("retry-after-ms")).movePointLeft(3));
    return ofMillis > 0 ? ofMillis : seconds(headers.first("retry-after"));
  }

  /** A decimal number of seconds. A date counts as nothing said: clocks differ. */
  static int seconds(@Nullable String text) {
    return roundedUp(decimal(text));
  }

  private static BigDecimal decimal(@Nullable String text) {
    return text == null || !DECIMAL.matcher(text).matches()
        ? BigDecimal.ZERO
        : new BigDecimal(text);
  }

  private static int roundedUp(BigDecimal seconds) {
    return seconds.min(SECONDS_MAX).setScale(0, RoundingMode.CEILING).intValueExact();
  }
}
