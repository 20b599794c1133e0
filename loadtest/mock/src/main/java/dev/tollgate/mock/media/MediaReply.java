package dev.tollgate.mock.media;

import java.nio.ByteBuffer;
import java.time.Duration;

/** What a call of the jobs' routes is answered. */
public sealed interface MediaReply {
  /** A status and a JSON body. */
  record Json(int status, String body) implements MediaReply {}

  /**
   * A file.
   *
   * @param bytes backed by an array
   * @param sentBytes how many of its bytes are sent: fewer, then FIN, or more, which are zeros
   * @param pieceBytes what leaves at a time
   * @param pause between two pieces
   */
  record File(String contentType, ByteBuffer bytes, int sentBytes, int pieceBytes, Duration pause)
      implements MediaReply {}

  /** FIN. */
  record Closed() implements MediaReply {}

  /** Nothing, for ever. */
  record NoResponse() implements MediaReply {}
}
