package dev.tollgate.core.upstream;

import org.jspecify.annotations.Nullable;

/** Failure of an upstream connection before the end of the reply. */
public sealed interface ConnectionFailure {
  /**
   * The peer reset the connection, or the transport failed.
   *
   * @param responseBegan true if a byte of the reply had arrived
   * @param fault of TLS, behind the handshake; null: TLS did not fail
   * @param reason for logs
   */
  record Reset(boolean responseBegan, @Nullable ConnectFault fault, String reason)
      implements ConnectionFailure {
    Reset(boolean responseBegan) {
      this(responseBegan, null, "the provider reset the connection");
    }
  }

  /** The peer closed the connection with a FIN. */
  record Closed(boolean responseBegan) implements ConnectionFailure {}

  /** The bytes were not a valid HTTP response. */
  record Malformed(String reason) implements ConnectionFailure {}
}
