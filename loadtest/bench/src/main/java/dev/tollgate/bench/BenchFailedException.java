package dev.tollgate.bench;

/** A run that could not begin: a side does not answer as it has to. */
public final class BenchFailedException extends Exception {
  private static final long serialVersionUID = 1;

  BenchFailedException(String reason) {
    super(reason);
  }
}
