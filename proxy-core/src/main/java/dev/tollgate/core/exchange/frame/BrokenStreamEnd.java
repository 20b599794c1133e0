package dev.tollgate.core.exchange.frame;

/**
 * How the body of a stream ends that broke off behind content
 * (docs/decisions/streaming.md#endings).
 */
public enum BrokenStreamEnd {
  /**
   * The connection ends without the body's last chunk, so that a client that overlooks the error
   * event does not take the short answer for a whole one.
   */
  ABORT,
  /** The body ends as that of a whole stream, and the connection is kept. */
  CLEAN
}
