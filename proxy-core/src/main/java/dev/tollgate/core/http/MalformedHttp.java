package dev.tollgate.core.http;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;

/**
 * Thrown if a peer's bytes are not acceptable HTTP/1.1; it has no stack trace, because the fault is
 * the peer's.
 */
final class MalformedHttp extends Exception {
  private static final long serialVersionUID = 1L;

  private enum Kind {
    SYNTAX,
    TOO_LARGE,
    METHOD_REFUSED
  }

  private final Kind kind;
  private final String reason;

  private MalformedHttp(Kind kind, String reason) {
    super(reason, null, false, false);
    this.kind = kind;
    this.reason = reason;
  }

  static MalformedHttp syntax(String reason) {
    return new MalformedHttp(Kind.SYNTAX, reason);
  }

  static MalformedHttp tooLarge(String reason) {
    return new MalformedHttp(Kind.TOO_LARGE, reason);
  }

  static MalformedHttp methodRefused(String method) {
    return new MalformedHttp(Kind.METHOD_REFUSED, "method " + method + " is not served");
  }

  /** Returns the reply to a client that sent such bytes (docs/decisions/requests.md#framing). */
  Fault fault() {
    return switch (kind) {
      case SYNTAX -> Fault.of(ErrorCode.VALIDATION_FAILED, "Malformed HTTP: " + reason + ".");
      case TOO_LARGE -> Fault.of(ErrorCode.REQUEST_TOO_LARGE, "Malformed HTTP: " + reason + ".");
      case METHOD_REFUSED -> Fault.of(ErrorCode.NOT_FOUND, "Refused: " + reason + ".");
    };
  }

  String reason() {
    return reason;
  }
}
