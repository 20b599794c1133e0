package dev.tollgate.core.testkit;

/**
 * How and when the other side of a connection ended it: {@code atNanos} is {@link System#nanoTime}.
 */
public record PeerClose(How how, long atNanos) {
  /** An orderly end of its sending side, or an abort. */
  public enum How {
    FIN,
    RST
  }
}
