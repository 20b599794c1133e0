package dev.tollgate.core.json;

import java.io.Serial;

/** Thrown if a JSON document is refused, with the reason and its offset. It has no stack trace. */
public final class InvalidJson extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final int offset;
  private final String member;

  InvalidJson(Reason reason, int offset, String message) {
    this(reason, offset, message, "");
  }

  private InvalidJson(Reason reason, int offset, String message, String member) {
    super(message + " at byte " + offset, null, false, false);
    this.reason = reason;
    this.offset = offset;
    this.member = member;
  }

  static InvalidJson tooManyItems(int offset, String member) {
    return new InvalidJson(Reason.TOO_MANY_ITEMS, offset, "too many items", member);
  }

  static InvalidJson malformed(int offset, String message) {
    return new InvalidJson(Reason.MALFORMED, offset, message);
  }

  public Reason reason() {
    return reason;
  }

  /** Returns the member of the root whose list is too long; empty for any other reason. */
  public String member() {
    return member;
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
    /** A bounded list of the root has more than {@link JsonLimits#ITEMS_MAX} items. */
    TOO_MANY_ITEMS,
    NAME_TOO_LONG
  }
}
