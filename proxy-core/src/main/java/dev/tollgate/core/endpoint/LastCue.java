package dev.tollgate.core.endpoint;

import java.time.Duration;
import java.util.Optional;

/** When the last subtitle of a file in SubRip or WebVTT ends: the audio is at least so long. */
final class LastCue {
  private static final int DIGITS_MAX = 6;

  private final byte[] text;
  private final int length;
  private int at;

  private LastCue(byte[] text, int length, int at) {
    this.text = text;
    this.length = length;
    this.at = at;
  }

  /** Empty where there is none: nothing was said. */
  static Optional<Duration> end(byte[] text, int length) {
    for (int i = length - 4; i >= 0; i--) {
      if (text[i] == '-' && text[i + 1] == '-' && text[i + 2] == '>') {
        Optional<Duration> end = new LastCue(text, length, i + 3).time();
        if (end.isPresent()) {
          return end;
        }
      }
    }
    return Optional.empty();
  }

  /** {@code 01:02:03,450}, with a dot in WebVTT, where there need be no hours. */
  private Optional<Duration> time() {
    while (at < length && (text[at] == ' ' || text[at] == '\t')) {
      at++;
    }
    long seconds = 0;
    for (int unit = 0; unit < 3; unit++) {
      long number = number();
      if (number < 0) {
        return Optional.empty();
      }
      seconds = seconds * 60 + number;
      if (!skips(':')) {
        boolean isTime = unit > 0;
        return isTime
            ? Optional.of(Duration.ofSeconds(seconds).plusMillis(millis()))
            : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private long millis() {
    return skips('.') || skips(',') ? Math.max(0, number()) : 0;
  }

  private boolean skips(char sign) {
    boolean isThere = at < length && text[at] == sign;
    at += isThere ? 1 : 0;
    return isThere;
  }

  /** -1 where none is. */
  private long number() {
    int from = at;
    long number = 0;
    while (at < length && at - from < DIGITS_MAX && text[at] >= '0' && text[at] <= '9') {
      number = number * 10 + (text[at] - '0');
      at++;
    }
    return at > from ? number : -1;
  }
}
