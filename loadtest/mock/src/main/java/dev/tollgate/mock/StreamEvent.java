package dev.tollgate.mock;

/**
 * One event of a stream being drafted: what it is for, what it says, and the beat it leaves on. The
 * data is bytes, one character each.
 */
record StreamEvent(Kind kind, String data, int intervalIndex) {
  /** What an event is for. */
  enum Kind {
    ROLE,
    CONTENT,
    FINISH,
    USAGE,
    DONE,
    /** Put there by a fault. */
    INJECTED,
    /** Put there by a fault as bytes that are lines already. */
    PREFRAMED
  }

  StreamEvent withData(String changed) {
    return new StreamEvent(kind, changed, intervalIndex);
  }
}
