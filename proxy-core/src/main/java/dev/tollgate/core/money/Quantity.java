package dev.tollgate.core.money;

import java.time.Duration;
import java.util.Optional;

/** What a request used besides tokens, in the unit by which it is priced. */
public sealed interface Quantity {
  /** Text that was spoken, in characters. */
  record Characters(long count) implements Quantity {}

  /** Audio that was transcribed or made. */
  record AudioTime(Duration time) implements Quantity {}

  /** Video that was made. */
  record VideoTime(Duration time) implements Quantity {}

  /** Music that was made. */
  record MusicTime(Duration time) implements Quantity {}

  /** Images of one kind; an empty size or quality is not known. */
  record Images(long count, Optional<String> size, Optional<String> quality) implements Quantity {}
}
