package dev.tollgate.core.http;

/**
 * Bytes that are no acceptable HTTP/1.1: an expected fault of the peer, so without a stack trace.
 */
final class Malformed extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is wrong with the bytes, as far as the answer depends on it. */
  enum Kind {
    SYNTAX,
    TOO_LARGE,
    METHOD_REFUSED
  }

  private final Kind kind;
  private final String reason;

  private Malformed(Kind kind, String reason) {
    super(reason, null, false, false);
    this.kind = kind;
    this.reason = reason;
  }

  static Malformed syntax(String reason) {
    return new Malformed(Kind.SYNTAX, reason);
  }

  static Malformed tooLarge(String reason) {
    return new Malformed(Kind.TOO_LARGE, reason);
  }

  static Malformed methodRefused(String method) {
    return new Malformed(Kind.METHOD_REFUSED, "method " + method + " is not served");
  }

  Kind kind() {
    return kind;
  }

  String reason() {
    return reason;
  }
}
