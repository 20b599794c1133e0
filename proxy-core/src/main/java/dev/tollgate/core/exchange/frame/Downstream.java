package dev.tollgate.core.exchange.frame;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/** The client's side as an exchange sees it. Used on the client channel's loop only. */
public interface Downstream {
  EventLoop loop();

  ByteBufAllocator allocator();

  /** Writes one part of the reply; nothing leaves before {@link #flush()}. */
  void send(Reply reply);

  void flush();

  /** Whether the client keeps up: while false the exchange stops asking its upstream for reads. */
  boolean isWritable();

  /**
   * Closes the connection, because the client takes less than it must. The running request is told
   * so as of any client that left.
   */
  void drop();
}
