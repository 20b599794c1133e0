package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import org.jspecify.annotations.Nullable;

/**
 * Error reason and retry delay from the {@code details} array in an error of Google's APIs.
 *
 * @param reason of an ErrorInfo, such as {@code API_KEY_INVALID}
 * @param retryAfterSeconds of a RetryInfo, rounded up; 0 means there is none
 */
record ErrorDetails(@Nullable String reason, int retryAfterSeconds) {
  private static final ErrorDetails NONE = new ErrorDetails(null, 0);

  static ErrorDetails of(JsonMembers error) {
    int i = error.indexOf("details");
    if (i < 0 || error.kind(i) != JsonKind.ARRAY) {
      return NONE;
    }
    JsonElements details = error.array(i);
    String reason = null;
    int seconds = 0;
    for (int k = 0; k < details.size(); k++) {
      if (details.kind(k) == JsonKind.OBJECT) {
        JsonMembers detail = details.object(k);
        String found = ErrorBody.scalar(detail, "reason");
        reason = reason == null ? found : reason;
        seconds = Math.max(seconds, delay(ErrorBody.scalar(detail, "retryDelay")));
      }
    }
    return new ErrorDetails(reason, seconds);
  }

  private static int delay(@Nullable String text) {
    return text == null || !text.endsWith("s")
        ? 0
        : RetryAfter.seconds(text.substring(0, text.length() - 1));
  }
}
