package dev.tollgate.core.money;

import java.time.Duration;
import java.util.Optional;

/**
 * Amount of usage other than tokens (characters, seconds of media, images), in the unit by which it
 * is priced.
 */
public sealed interface Quantity {
  /** Text converted to speech, in characters. */
  record Characters(long count) implements Quantity {}

  /** Audio that was transcribed or generated. */
  record AudioTime(Duration time) implements Quantity {}

  /** Video that was generated. */
  record VideoTime(Duration time) implements Quantity {}

  /** Music that was generated. */
  record MusicTime(Duration time) implements Quantity {}

  /** Images of one kind; an empty size or quality is unknown. */
  record Images(long count, Optional<String> size, Optional<String> quality) implements Quantity {}

  /**
   * Returns a time in microseconds, rounded up, which is finer than any provider reports; at most
   * 30 years, longer than any media.
   */
  static long micros(Duration time) {
    long seconds = Math.clamp(time.getSeconds(), 0, 1_000_000_000);
    long fraction = time.isNegative() ? 0 : Math.ceilDiv(time.getNano(), 1_000);
    return seconds * 1_000_000 + fraction;
  }
}
