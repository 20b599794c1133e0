package dev.tollgate.core.upstream.loop;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.channels.NotYetConnectedException;

/**
 * Passes over the read of a connection that is not made yet. Netty's epoll transport finds who an
 * event is for by the number of its file: where a connection is closed and another one takes its
 * number amid a batch, the rest of the batch that was for the first goes to the second. It is read
 * then, which harms nothing, and the end of the pipeline would log that with a stack trace.
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
