package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.http.Headers;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Derives a retry delay from Anthropic's rate limit headers, for 429 responses that state no delay.
 */
final class AnthropicLimits {
  private static final List<String> LIMITS =
      List.of("requests", "tokens", "input-tokens", "output-tokens");
  private static final int SECONDS_MAX = 3_600;

  private AnthropicLimits() {}

  /** Returns the seconds until every exhausted limit resets; 0 means unknown. */
  static int secondsUntilReset(Headers headers) {
    OptionalLong now =
        epochSeconds(
            headers.first("date"), DateTimeFormatter.RFC_1123_DATE_TIME); // Anthropic's clock
    if (now.isEmpty()) {
      return 0;
    }
    long wait = 0;
    for (String limit : LIMITS) {
      String prefix = "anthropic-ratelimit-" + limit;
      if ("0".equals(headers.first(prefix + "-remaining"))) {
        OptionalLong reset =
            epochSeconds(headers.first(prefix + "-reset"), DateTimeFormatter.ISO_OFFSET_DATE_TIME);
        wait = Math.max(wait, reset.orElse(0) - now.getAsLong());
      }
    }
    return (int) Math.min(wait, SECONDS_MAX);
  }

  private static OptionalLong epochSeconds(@Nullable String text, DateTimeFormatter format) {
    try {
      return text == null
          ? OptionalLong.empty()
          : OptionalLong.of(OffsetDateTime.parse(text, format).toEpochSecond());
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }
}
