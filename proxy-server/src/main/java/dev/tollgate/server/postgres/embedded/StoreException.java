package dev.tollgate.server.postgres.embedded;

/** The store cannot be used, and the message tells the operator why and what to do. */
public final class StoreException extends Exception {
  private static final long serialVersionUID = 1;

  public StoreException(String message) {
    super(message, null, false, false);
  }

  public StoreException(String message, Throwable cause) {
    super(message + ": " + cause.getMessage(), cause, false, false);
  }
}
