package dev.tollgate.core.testkit;

/** How and when the peer ended a connection; {@code atNanos} is {@link System#nanoTime}. */
public record PeerClose(How how, long atNanos) {
  /** FIN, or RST. */
  public enum How {
    FIN,
    RST
  }
}
