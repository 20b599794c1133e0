package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.RetryAfter;
import dev.tollgate.core.http.Headers;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Derives a retry delay from the rate limits that OpenAI-compatible servers report with a 429 that
 * states no delay. They report the remaining amount and the time of its reset in header fields, in
 * each server's own unit, or in words of the message.
 */
final class RateLimits {
  /** Most servers report the time until the limit is fully reset: requests are possible earlier. */
  private static final int SECONDS_MAX = 60;

  private static final List<String> LIMITS =
      List.of("", "-requests", "-tokens", "-requests-minute", "-tokens-minute", "-requests-day");
  private static final Pattern DURATION =
      Pattern.compile(
          "(?:([0-9]{1,4})h)?(?:([0-9]{1,6})m(?!s))?(?:([0-9]{1,6}(?:\\.[0-9]{1,12})?)s)?"
              + "(?:([0-9]{1,9}(?:\\.[0-9]{1,12})?)ms)?");
  private static final Pattern EPOCH = Pattern.compile("[0-9]{10}(?:[0-9]{3})?");
  private static final Pattern WORDS =
      Pattern.compile("(?:try again|retry) (?:in|after) ([0-9][0-9.hms]{0,30})");

  private RateLimits() {}

  /** Returns the seconds until the exceeded limit allows requests again; 0 means unknown. */
  static int secondsUntilReset(Headers headers, ErrorBody error) {
    int wait = 0;
    for (String limit : LIMITS) {
      boolean reached =
          "0".equals(headers.first("x-ratelimit-remaining" + limit))
              || (!limit.isEmpty() && limit.substring(1).equals(error.type()));
      if (reached) {
        wait = Math.max(wait, seconds(headers.first("x-ratelimit-reset" + limit), headers));
      }
    }
    return wait > 0 ? wait : ofWords(error.message());
  }

  private static int ofWords(String message) {
    Matcher words = WORDS.matcher(message.toLowerCase(Locale.ROOT));
    if (!words.find()) {
      return 0;
    }
    String duration = words.group(1);
    return ofDuration(
        duration.endsWith(".") ? duration.substring(0, duration.length() - 1) : duration);
  }

  private static int seconds(@Nullable String reset, Headers headers) {
    if (reset == null) {
      return 0;
    }
    if (EPOCH.matcher(reset).matches()) {
      return untilEpoch(Long.parseLong(reset), headers.first("date"));
    }
    return Math.max(Math.min(RetryAfter.seconds(reset), SECONDS_MAX), ofDuration(reset));
  }

  /** Returns the seconds until a time in seconds or milliseconds, by the provider's clock. */
  private static int untilEpoch(long then, @Nullable String date) {
    try {
      long now =
          date == null
              ? then
              : OffsetDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
      long seconds = then > 9_999_999_999L ? Math.ceilDiv(then, 1_000) : then;
      return date == null ? 0 : Math.clamp(seconds - now, 0, SECONDS_MAX);
    } catch (DateTimeParseException e) {
      return 0;
    }
  }

  /** Returns the seconds of a duration such as {@code 1m0s}, {@code 35.13s} or {@code 6ms}. */
  private static int ofDuration(String text) {
    Matcher parts = DURATION.matcher(text);
    if (text.isEmpty() || !parts.matches()) {
      return 0;
    }
    BigDecimal seconds =
        part(parts.group(1), "3600")
            .add(part(parts.group(2), "60"))
            .add(part(parts.group(3), "1"))
            .add(part(parts.group(4), "0.001"));
    return seconds
        .setScale(0, RoundingMode.CEILING)
        .min(BigDecimal.valueOf(SECONDS_MAX))
        .intValueExact();
  }

  private static BigDecimal part(@Nullable String count, String unit) {
    return count == null ? BigDecimal.ZERO : new BigDecimal(count).multiply(new BigDecimal(unit));
  }
}
