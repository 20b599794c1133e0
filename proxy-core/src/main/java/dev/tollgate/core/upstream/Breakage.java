package dev.tollgate.core.upstream;

/** Why an upstream connection failed its request before the reply's end. */
public sealed interface Breakage {
  /**
   * The peer reset the connection, or the transport failed.
   *
   * @param responseBegan whether any byte of the reply had come
   */
  record Reset(boolean responseBegan) implements Breakage {}

  /** The peer closed the connection in good order. */
  record Closed(boolean responseBegan) implements Breakage {}

  /** The bytes were not a valid HTTP response. */
  record Malformed(String reason) implements Breakage {}
}
