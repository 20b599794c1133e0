package dev.tollgate.mock;

/**
 * A client that left before its reply was done.
 *
 * @param how whether by FIN or by RST
 * @param atNanos when it was seen, by {@link System#nanoTime}
 * @param tokens how many completion tokens were out by then
 */
public record Disconnect(How how, String model, long atNanos, int tokens) {
  /** An orderly end or an abort. */
  public enum How {
    FIN,
    RST
  }
}
