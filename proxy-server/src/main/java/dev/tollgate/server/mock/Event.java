package dev.tollgate.server.mock;

/**
 * One event of a stream being drafted: what it is for, what it says, and the beat it leaves on. The
 * data is bytes, one character each.
 */
record Event(Kind kind, String data, int beat) {
  /** What an event is for. */
  enum Kind {
    ROLE,
    CONTENT,
    FINISH,
    USAGE,
    DONE,
    /** Put there by a fault. */
    FOREIGN,
    /** Put there by a fault as bytes that are lines already. */
    FRAMED
  }

  Event saying(String changed) {
    return new Event(kind, changed, beat);
  }
}
