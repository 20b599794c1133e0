package dev.tollgate.core.api;

/**
 * Parsing of the event framing that all providers' streams share: trailing white space and the
 * {@code [DONE]} terminator.
 */
public final class StreamEvents {
  private StreamEvents() {}

  /** Returns the end of an event's data without trailing blanks. */
  public static int trimmed(byte[] data, int from, int to) {
    int end = to;
    while (end > from && data[end - 1] == ' ') {
      end--;
    }
    return end;
  }

  /** True if the data is {@code [DONE]}. */
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
