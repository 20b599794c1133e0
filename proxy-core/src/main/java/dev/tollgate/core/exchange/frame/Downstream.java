package dev.tollgate.core.exchange.frame;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/**
 * Port through which an exchange writes its reply to the client's connection. Confined to the
 * client channel's loop.
 */
public interface Downstream {
  EventLoop loop();

  ByteBufAllocator allocator();

  /** The limits admitted the request: what follows is no refusal. */
  default void admitted() {}

  /** Writes one part of the reply; it is sent with the next {@link #flush()}. */
  void send(Reply reply);

  void flush();

  /** True while the client keeps up; while false the exchange requests no reads upstream. */
  boolean isWritable();

  /**
   * Closes the connection, because the client reads too slowly. The running request is notified as
   * of any disconnect.
   */
  void drop();
}
