package dev.tollgate.core.http;

import io.netty.channel.ChannelHandlerContext;

/** The one read that may stand open at a socket whose autoRead is off. */
final class SocketReads {
  private boolean outstanding;
  private boolean underway;
  private boolean ended;

  /** Bytes of a read arrive; the read lasts until {@link #completed()}. */
  void arriving() {
    underway = true;
  }

  void completed() {
    underway = false;
    outstanding = false;
  }

  /** No byte can come any more, so none is asked for: a read would only spin. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Asks the socket, unless it was asked already or is just delivering. */
  void requestRead(ChannelHandlerContext ctx) {
    if (!outstanding && !underway && !ended && !ctx.isRemoved()) {
      outstanding = true;
      ctx.read();
    }
  }
}
