package dev.tollgate.server.postgres.embedded;

/**
 * Failure to open or use the PostgreSQL store; the message names the cause and the remedy for the
 * operator.
 */
public final class StoreException extends Exception {
  private static final long serialVersionUID = 1;

  public StoreException(String message) {
    super(message, null, false, false);
  }

  public StoreException(String message, Throwable cause) {
    super(message + ": " + cause.getMessage(), cause, false, false);
  }
}
