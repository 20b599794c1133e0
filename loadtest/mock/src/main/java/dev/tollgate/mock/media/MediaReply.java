package dev.tollgate.mock.media;

import java.nio.ByteBuffer;
import java.time.Duration;

/** Reply of the jobs' routes. */
public sealed interface MediaReply {
  /** A status and a JSON body. */
  record Json(int status, String body) implements MediaReply {}

  /**
   * Reply with a file.
   *
   * @param bytes backed by an array
   * @param sentBytes number of bytes sent: fewer than the file has, then FIN, or more, padded with
   *     zeros
   * @param pieceBytes size of a write
   * @param pause between two pieces
   */
  record File(String contentType, ByteBuffer bytes, int sentBytes, int pieceBytes, Duration pause)
      implements MediaReply {}

  /** Closes the connection without a reply. */
  record Closed() implements MediaReply {}

  /** Sends no reply and keeps the connection open. */
  record NoResponse() implements MediaReply {}
}
