package dev.tollgate.mock.media;

import java.nio.ByteBuffer;
import java.time.Duration;

/** Reply of the mock provider to a call on its video and music job routes. */
public sealed interface MediaReply {
  /** A status and a JSON body. */
  record Json(int status, String body) implements MediaReply {}

  /**
   * Reply with the output file of a job.
   *
   * @param bytes backed by an array
   * @param sentBytes number of bytes sent: fewer than the file has, then FIN, or more, padded with
   *     zeros
   * @param pieceBytes size of a write
   * @param pause between two pieces
   */
  record File(String contentType, ByteBuffer bytes, int sentBytes, int pieceBytes, Duration pause)
      implements MediaReply {}

  /** Reply that closes the connection without a response. */
  record Closed() implements MediaReply {}

  /** Reply that sends nothing and keeps the connection open. */
  record NoResponse() implements MediaReply {}
}
