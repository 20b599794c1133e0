package dev.tollgate.core.pipeline;

/** What a connection's handlers are told from the side, as user events from the top down. */
enum ConnectionEvent {
  /** The node stops: close if nothing is in work. */
  DRAIN,
  /** The node lacks room: close if the client has had its replies and asks for nothing. */
  CLOSE_IDLE,
  /** The drain's time is over: end what is in work with a fault. */
  CUT_SHORT,
  /** A part of the next request is here already, sent ahead. */
  NEXT_REQUEST_UNDERWAY,
  /** The last reply is written, and its end must still be taken by the client. */
  LAST_REPLY_PENDING,
  /** The client has not taken a byte for the write stall's time. */
  CLIENT_STALLED,
  /** Nor for a second, and the node needs the memory of what it does not take. */
  STREAM_SHED
}
