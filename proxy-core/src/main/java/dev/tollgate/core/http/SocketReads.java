package dev.tollgate.core.http;

import io.netty.channel.ChannelHandlerContext;

/** Tracks the one read that may be pending at a socket whose autoRead is off. */
final class SocketReads {
  private boolean outstanding;
  private boolean underway;
  private boolean ended;

  /** Marks the arrival of a read's bytes; the read lasts until {@link #completed()}. */
  void arriving() {
    underway = true;
  }

  void completed() {
    underway = false;
    outstanding = false;
  }

  /** Marks the end of input: a further read would only spin. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Requests a read, unless one is pending or delivering. */
  void requestRead(ChannelHandlerContext ctx) {
    if (!outstanding && !underway && !ended && !ctx.isRemoved()) {
      outstanding = true;
      ctx.read();
    }
  }
}
