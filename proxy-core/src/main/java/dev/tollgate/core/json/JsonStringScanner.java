package dev.tollgate.core.json;

/** Finds where a JSON string ends in bytes of which nothing is known. Thread-confined. */
public final class JsonStringScanner {
  private final JsonScanner scanner = new JsonScanner();

  /**
   * Offset behind the closing quotation mark of a string; -1 where none that is whole, strict (RFC
   * 8259) and UTF-8 stands between the offsets.
   *
   * @param open where its opening quotation mark is
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
