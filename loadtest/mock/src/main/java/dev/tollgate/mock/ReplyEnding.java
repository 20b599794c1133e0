package dev.tollgate.mock;

/** What follows the last byte of a reply. */
enum ReplyEnding {
  /** The connection waits for the next request. */
  KEEP_ALIVE,
  /** The connection looks kept alive, but is closed as soon as the next request begins. */
  STALE_FIN,
  /** The connection looks kept alive, but is reset as soon as the next request begins. */
  STALE_RST,
  FIN,
  RST,
  /** Nothing, for as long as the peer waits. */
  HANG,
  /** The last frame again and again, one per interval. */
  REPEAT
}
