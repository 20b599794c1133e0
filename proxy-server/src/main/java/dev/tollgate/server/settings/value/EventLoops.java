package dev.tollgate.server.settings.value;

import java.util.Optional;

/**
 * How many event loops serve.
 *
 * @param count 0: as many as there are processors
 */
public record EventLoops(int count) {
  public static Optional<EventLoops> parse(String text) {
    if (text.equals("auto")) {
      return Optional.of(new EventLoops(0));
    }
    return text.matches("[1-9]\\d{0,3}")
        ? Optional.of(new EventLoops(Integer.parseInt(text)))
        : Optional.empty();
  }

  /** The number to start on a machine with this many processors. */
  public int countFor(int processors) {
    return count > 0 ? count : processors;
  }

  @Override
  public String toString() {
    return count == 0 ? "auto" : Integer.toString(count);
  }
}
