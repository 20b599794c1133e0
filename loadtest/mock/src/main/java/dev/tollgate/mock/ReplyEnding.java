package dev.tollgate.mock;

/** Action of the mock provider on the connection after the last byte of a reply. */
enum ReplyEnding {
  /** Keeps the connection open for the next request. */
  KEEP_ALIVE,
  /** Closes the connection as soon as the next request begins. */
  STALE_FIN,
  /** Resets the connection as soon as the next request begins. */
  STALE_RST,
  FIN,
  RST,
  /** Sends nothing more and keeps the connection open. */
  HANG,
  /** Repeats the last frame, one per interval. */
  REPEAT
}
