package dev.tollgate.core.json;

/**
 * Check whether a JSON text that arrives in pieces is complete: it has begun, and every bracket and
 * string is closed. It does not validate the text.
 */
public final class JsonCompleteness {
  private boolean begun;
  private boolean inString;
  private boolean escaped;
  private long depth;

  /** Reads the next piece. */
  public void read(JsonChars piece) {
    for (int c = piece.next(); c != JsonChars.END; c = piece.next()) {
      if (escaped) {
        escaped = false;
      } else if (inString) {
        escaped = c == '\\';
        inString = c != '"';
      } else {
        readOutsideString(c);
      }
    }
  }

  /** Reads the whole text at once, as a value that was validated elsewhere. */
  public void readWhole() {
    begun = true;
  }

  private void readOutsideString(int c) {
    begun |= c != ' ' && c != '\n' && c != '\r' && c != '\t';
    switch (c) {
      case '"' -> inString = true;
      case '{', '[' -> depth++;
      case '}', ']' -> depth--;
      default -> {}
    }
  }

  /** True if a piece had more than white space. */
  public boolean isBegun() {
    return begun;
  }

  /** True if the pieces so far end with the text. */
  public boolean isComplete() {
    return begun && !inString && depth <= 0;
  }
}
