package dev.tollgate.core.json;

/** Type of a JSON value, recognized by its first byte. */
public enum JsonKind {
  STRING,
  NUMBER,
  TRUE,
  FALSE,
  NULL,
  OBJECT,
  ARRAY;

  /** Returns the kind by a valid value's first byte. */
  static JsonKind ofFirst(byte first) {
    return switch (first) {
      case '"' -> STRING;
      case '{' -> OBJECT;
      case '[' -> ARRAY;
      case 't' -> TRUE;
      case 'f' -> FALSE;
      case 'n' -> NULL;
      default -> NUMBER;
    };
  }
}
