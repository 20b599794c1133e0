package dev.tollgate.core.api.speech;

import java.time.Duration;
import java.util.Optional;

/**
 * Parser of the end time of the last subtitle in a SubRip or WebVTT file, which is a lower bound of
 * the audio's length.
 */
public final class LastSubtitleCue {
  private static final int DIGITS_MAX = 6;
  private static final String ARROW = "-->";

  private final byte[] text;
  private final int length;
  private int at;

  private LastSubtitleCue(byte[] text, int length) {
    this.text = text;
    this.length = length;
  }

  /** Returns the latest end of all cues; empty if there is no cue. */
  public static Optional<Duration> end(byte[] text, int length) {
    var cues = new LastSubtitleCue(text, length);
    Optional<Duration> latest = Optional.empty();
    while (cues.at < length) {
      Optional<Duration> end = cues.lineEnd();
      boolean isLater =
          end.isPresent() && latest.filter(l -> l.compareTo(end.get()) >= 0).isEmpty();
      latest = isLater ? end : latest;
      cues.skipLine();
    }
    return latest;
  }

  /**
   * Returns the end time of a cue line, which begins with a time; an arrow in spoken text has no
   * time in front.
   */
  private Optional<Duration> lineEnd() {
    if (time().isEmpty()) {
      return Optional.empty();
    }
    skipBlanks();
    int arrow = 0;
    while (arrow < ARROW.length() && skips(ARROW.charAt(arrow))) {
      arrow++;
    }
    return arrow == ARROW.length() ? time() : Optional.empty();
  }

  private void skipLine() {
    while (at < length && text[at] != '\n' && text[at] != '\r') {
      at++;
    }
    at++;
  }

  private void skipBlanks() {
    while (at < length && (text[at] == ' ' || text[at] == '\t')) {
      at++;
    }
  }

  /** Reads {@code 01:02:03,450}; WebVTT has a dot, and the hours are optional. */
  private Optional<Duration> time() {
    skipBlanks();
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

  /** Reads a number; -1 if there is none. */
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
