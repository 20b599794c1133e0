package dev.tollgate.core.pipeline;

/**
 * User events that the node or a handler fires through a connection's pipeline, from the top down.
 */
enum ConnectionEvent {
  /** The node stops: close if there is no current request. */
  DRAIN,
  /** The node lacks memory: close if the client has received its replies and sends no request. */
  CLOSE_IDLE,
  /** The drain has timed out: end the current request with a fault. */
  CUT_SHORT,
  /** A new connection needs the place of this one, which has proved no key: close. */
  GIVE_WAY,
  /** The balancer's PROXY header has named the client. */
  CLIENT_NAMED,
  /** A part of the next request has been received already. */
  NEXT_REQUEST_UNDERWAY,
  /** The last reply is written, but the client has not received all of it. */
  LAST_REPLY_PENDING,
  /** The client has not received a byte for the time of the write stall. */
  CLIENT_STALLED,
  /**
   * The client has not received a byte for a second, and the node needs the memory of what is
   * queued for it.
   */
  STREAM_SHED
}
