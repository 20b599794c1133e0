package dev.tollgate.core.upstream;

/** Failure of an upstream connection before the end of the reply. */
public sealed interface ConnectionFailure {
  /**
   * The peer reset the connection, or the transport failed.
   *
   * @param responseBegan true if a byte of the reply had arrived
   */
  record Reset(boolean responseBegan) implements ConnectionFailure {}

  /** The peer closed the connection with a FIN. */
  record Closed(boolean responseBegan) implements ConnectionFailure {}

  /** The bytes were not a valid HTTP response. */
  record Malformed(String reason) implements ConnectionFailure {}
}
