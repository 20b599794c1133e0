package dev.tollgate.core.json;

import java.io.Serial;

/** Thrown if a JSON document is refused, with the reason and its offset. It has no stack trace. */
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

  /**
   * Reason for the refusal of a document; all but {@code MALFORMED} ones are well-formed as far as
   * they were read.
   */
  public enum Reason {
    /** The document is not JSON in strict UTF-8. */
    MALFORMED,
    /** The document is JSON, but its root is not an object. */
    NOT_AN_OBJECT,
    /** The document is JSON, but its root is not an array. */
    NOT_AN_ARRAY,
    TOO_DEEP,
    TOO_MANY_MEMBERS,
    NAME_TOO_LONG
  }
}
