package dev.tollgate.core.upstream;

/** Why an upstream connection failed its request before the reply's end. */
public sealed interface ConnectionFailure {
  /**
   * The peer reset the connection, or the transport failed.
   *
   * @param responseBegan whether any byte of the reply had come
   */
  record Reset(boolean responseBegan) implements ConnectionFailure {}

  /** The peer closed the connection in good order. */
  record Closed(boolean responseBegan) implements ConnectionFailure {}

  /** The bytes were not a valid HTTP response. */
  record Malformed(String reason) implements ConnectionFailure {}
}
