package dev.tollgate.server.wiring;

/** Thrown if the gateway cannot start; the message gives the operator the reason. */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1;

  StartException(String message) {
    super(message, null, false, false);
  }

  StartException(String message, Throwable cause) {
    super(message, cause, false, false);
  }
}
