package dev.tollgate.mock;

/**
 * Record of a client that disconnected from the mock provider before the end of its reply.
 *
 * @param how by FIN or by RST
 * @param atNanos time of the disconnect, by {@link System#nanoTime}
 * @param tokens completion tokens sent before the disconnect
 */
public record Disconnect(How how, String model, long atNanos, int tokens) {
  /** TCP segment that ended the connection. */
  public enum How {
    FIN,
    RST
  }
}
