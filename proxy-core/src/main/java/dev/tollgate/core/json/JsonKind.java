package dev.tollgate.core.json;

/** What kind of value a JSON range holds. */
public enum JsonKind {
  STRING,
  NUMBER,
  TRUE,
  FALSE,
  NULL,
  OBJECT,
  ARRAY;

  /** Tells the kind by a valid value's first byte. */
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
