package dev.tollgate.core.http;

/** How a message says where its body ends (RFC 9112, 6.3). */
public sealed interface BodyLength {
  /** There is no body. */
  record None() implements BodyLength {}

  /** By Content-Length; {@code bytes} is above zero. */
  record Fixed(long bytes) implements BodyLength {}

  /** By the chunked transfer coding. */
  record Chunked() implements BodyLength {}

  /** By the end of the connection: replies of HTTP/1.0 kind only. */
  record UntilClose() implements BodyLength {}

  BodyLength NONE = new None();
  BodyLength CHUNKED = new Chunked();
  BodyLength UNTIL_CLOSE = new UntilClose();
}
