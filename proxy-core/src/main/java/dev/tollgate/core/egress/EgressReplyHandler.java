package dev.tollgate.core.egress;

import dev.tollgate.core.http.BadResponse;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.http.TruncatedResponse;
import dev.tollgate.core.http.UnsolicitedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Base class of channel handlers that read the reply to one request of an egress call. Each reports
 * the reply's end once and is confined to its event loop.
 */
abstract class EgressReplyHandler extends ChannelInboundHandlerAdapter {
  static final String CLOSED = "its server closed the connection early";

  private static final Logger LOG = LoggerFactory.getLogger(EgressReplyHandler.class);

  private boolean ended;

  abstract void head(ResponseHead head);

  /** Takes bytes of the body, which stay the caller's. */
  abstract void content(ByteBuf bytes);

  abstract void completed();

  /** Ends the call unless the reply has ended. */
  abstract void failed(FetchOutcome outcome, String why);

  @Override
  public final void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (!ended) {
        read(message);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void read(Object message) {
    switch (message) {
      case ResponseHead head -> head(head);
      case ByteBuf bytes -> content(bytes);
      case BodyEnd _ -> completed();
      case BadResponse _ -> failed(FetchOutcome.BROKEN, "its server does not speak HTTP");
      case TruncatedResponse _ -> failed(FetchOutcome.BROKEN, CLOSED);
      case UnsolicitedBytes _ -> {} // the reply ahead of them is complete
      default -> throw new IllegalStateException("unexpected message " + message.getClass());
    }
  }

  @Override
  public final void channelReadComplete(ChannelHandlerContext context) {
    if (!ended) {
      context.read();
    }
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException || cause instanceof DecoderException)) {
      LOG.error("a call to a client's URL failed unexpectedly", cause);
    }
    failed(FetchOutcome.BROKEN, "the connection to its server failed");
  }

  @Override
  public final void channelInactive(ChannelHandlerContext context) {
    failed(FetchOutcome.BROKEN, CLOSED);
  }

  /** Runs {@code end} if the reply has not ended; nothing of it is read afterwards. */
  final void endOnce(Runnable end) {
    if (!ended) {
      ended = true;
      end.run();
    }
  }
}
