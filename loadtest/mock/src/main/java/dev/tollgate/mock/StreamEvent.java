package dev.tollgate.mock;

/**
 * Event in the draft of a streamed reply: its kind, its data, and the interval at whose end it is
 * sent. The data has one byte per character.
 */
record StreamEvent(Kind kind, String data, int intervalIndex) {
  /** Purpose of an event. */
  enum Kind {
    ROLE,
    CONTENT,
    FINISH,
    USAGE,
    DONE,
    /** Inserted by a fault. */
    INJECTED,
    /** Inserted by a fault, already framed as lines. */
    PREFRAMED
  }

  StreamEvent withData(String changed) {
    return new StreamEvent(kind, changed, intervalIndex);
  }
}
