package dev.tollgate.core.json;

/**
 * Scanner for the end of a JSON string in bytes that were not validated. It is confined to one
 * thread.
 */
public final class JsonStringScanner {
  private final JsonScanner scanner = new JsonScanner();

  /**
   * Returns the offset after the closing quotation mark; -1 if the range contains no complete,
   * strict (RFC 8259) string in UTF-8.
   *
   * @param open offset of the opening quotation mark
   */
  public int endOf(byte[] bytes, int open, int to) {
    scanner.reset(bytes, open, to);
    int end;
    try {
      end = scanner.string(open);
    } catch (InvalidJson notOne) {
      return -1;
    }
    return StrictUtf8.isValid(bytes, open, end) ? end : -1;
  }
}
