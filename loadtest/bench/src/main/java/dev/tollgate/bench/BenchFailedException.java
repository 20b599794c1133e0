package dev.tollgate.bench;

/**
 * Thrown when a benchmark cannot begin because the target or the direct side does not answer
 * correctly.
 */
public final class BenchFailedException extends Exception {
  private static final long serialVersionUID = 1;

  BenchFailedException(String reason) {
    super(reason);
  }
}
