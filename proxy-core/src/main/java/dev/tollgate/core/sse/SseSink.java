package dev.tollgate.core.sse;

import dev.tollgate.core.json.JsonDefect;
import java.util.Set;

/**
 * Receiver of the events that a {@link StreamDecoder} decodes from a provider's stream, in their
 * order.
 */
public interface SseSink {
  /**
   * Receives one event with data.
   *
   * @param name the event's name, by default {@code message}
   * @param data contains the data from {@code from} to {@code to}; valid only during the call, and
   *     must not be changed
   */
  void event(String name, byte[] data, int from, int to);

  /** Receives one comment line. */
  void comment();

  /** Reports defects of an event's JSON that were repaired. */
  default void repaired(Set<JsonDefect> defects) {}

  /** Reports an event above the size bound; the decoder ignores the rest of the stream. */
  void oversized(int eventBytesMax);

  /**
   * Reports damaged framing: the rest of the stream cannot be read, as after an oversized event.
   */
  default void broken() {
    oversized(0);
  }
}
