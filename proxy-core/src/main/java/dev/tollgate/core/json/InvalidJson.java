package dev.tollgate.core.json;

import java.io.Serial;

/** Exception for a refused document, with the reason and its offset. It has no stack trace. */
public final class InvalidJson extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final int offset;

  InvalidJson(Reason reason, int offset, String message) {
    super(message + " at byte " + offset, null, false, false);
    this.reason = reason;
    this.offset = offset;
  }

  static InvalidJson malformed(int offset, String message) {
    return new InvalidJson(Reason.MALFORMED, offset, message);
  }

  public Reason reason() {
    return reason;
  }

  /** Returns the offset from the start of the document. */
  public int offset() {
    return offset;
  }

  /** Reasons of a refusal; all but {@code MALFORMED} are well-formed as far as they were read. */
  public enum Reason {
    /** Not JSON in strict UTF-8. */
    MALFORMED,
    /** JSON, but its root is not an object. */
    NOT_AN_OBJECT,
    /** JSON, but its root is not an array. */
    NOT_AN_ARRAY,
    TOO_DEEP,
    TOO_MANY_MEMBERS,
    NAME_TOO_LONG
  }
}
