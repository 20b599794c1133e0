package dev.tollgate.core.http;

/** Ways in which a message delimits its body (RFC 9112, 6.3). */
public sealed interface BodyLength {
  /** The message has no body. */
  record None() implements BodyLength {}

  /** Content-Length; {@code bytes} is above zero. */
  record Fixed(long bytes) implements BodyLength {}

  /** The chunked transfer coding. */
  record Chunked() implements BodyLength {}

  /** The end of the connection: HTTP/1.0 style responses only. */
  record UntilClose() implements BodyLength {}

  BodyLength NONE = new None();
  BodyLength CHUNKED = new Chunked();
  BodyLength UNTIL_CLOSE = new UntilClose();
}
