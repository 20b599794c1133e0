package dev.tollgate.core.upstream.loop;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.channels.NotYetConnectedException;

/**
 * Handler that ignores reads of a connection that is not established yet. Netty's epoll transport
 * finds the socket of an event by its file descriptor: if a connection is closed and a new one gets
 * its descriptor within a batch of events, later events of the old socket go to the new one. Such a
 * read is harmless, but the end of the pipeline would log it with a stack trace.
 */
@Sharable
public final class EarlyReads extends ChannelInboundHandlerAdapter {
  public static final EarlyReads INSTANCE = new EarlyReads();

  private EarlyReads() {}

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof NotYetConnectedException) || context.channel().isActive()) {
      context.fireExceptionCaught(cause);
    }
  }
}
