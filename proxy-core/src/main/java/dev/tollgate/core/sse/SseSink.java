package dev.tollgate.core.sse;

/** Takes what a {@link StreamDecoder} finds, in the order of the stream. */
public interface SseSink {
  /**
   * One event that has data.
   *
   * @param name the event's name, {@code message} where the stream gives none
   * @param data holds the data from {@code from} to {@code to}; valid only during the call, and not
   *     to be changed
   */
  void event(String name, byte[] data, int from, int to);

  /** One comment line. */
  void comment();

  /** An event is larger than allowed; the decoder ignores what follows. */
  void oversized(int eventBytesMax);

  /** Its framing is damaged: nothing behind it can be read, as behind an event without end. */
  default void broken() {
    oversized(0);
  }
}
