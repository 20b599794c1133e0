package dev.tollgate.core.api;

/** What is the same of the events of all streams: white space at their end, and the terminator. */
public final class StreamEvents {
  private StreamEvents() {}

  /** The end of an event's data without the blanks behind it. */
  public static int trimmed(byte[] data, int from, int to) {
    int end = to;
    while (end > from && data[end - 1] == ' ') {
      end--;
    }
    return end;
  }

  /** Whether the data are {@code [DONE]}. */
  public static boolean isDone(byte[] data, int from, int to) {
    return to - from == 6
        && data[from] == '['
        && data[from + 1] == 'D'
        && data[from + 2] == 'O'
        && data[from + 3] == 'N'
        && data[from + 4] == 'E'
        && data[from + 5] == ']';
  }
}
