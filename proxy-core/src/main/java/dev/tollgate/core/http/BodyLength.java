package dev.tollgate.core.http;

/** Way in which an HTTP message delimits its body (RFC 9112, 6.3). */
public sealed interface BodyLength {
  /** The message has no body. */
  record None() implements BodyLength {}

  /** The body has a Content-Length; {@code bytes} is above zero. */
  record Fixed(long bytes) implements BodyLength {}

  /** The body has the chunked transfer coding. */
  record Chunked() implements BodyLength {}

  /** The body ends with the connection, in HTTP/1.0 style responses only. */
  record UntilClose() implements BodyLength {}

  BodyLength NONE = new None();
  BodyLength CHUNKED = new Chunked();
  BodyLength UNTIL_CLOSE = new UntilClose();
}
