package dev.tollgate.server.settings.value;

import java.util.Optional;

/**
 * Setting {@code server.event_loops}: a number, or one event loop for each processor.
 *
 * @param count 0 means one per processor
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

  /** Returns the number of loops to start on a machine with {@code processors}. */
  public int countFor(int processors) {
    return count > 0 ? count : processors;
  }

  @Override
  public String toString() {
    return count == 0 ? "auto" : Integer.toString(count);
  }
}
