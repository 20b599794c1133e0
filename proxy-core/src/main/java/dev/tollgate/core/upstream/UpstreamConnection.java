package dev.tollgate.core.upstream;

import dev.tollgate.core.http.BadResponse;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.ResponseDecoder;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.http.TruncatedResponse;
import dev.tollgate.core.http.UnsolicitedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pooled connection to a provider, and the last handler of its pipeline, which passes messages to
 * the lease that holds it. While idle it keeps one read outstanding, so that a FIN is noticed and
 * unsolicited bytes close it.
 */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamConnection.class);

  private final Channel channel;
  private final EndpointPool pool;
  private final ResponseDecoder decoder = new ResponseDecoder();
  private @Nullable Lease lease;
  private boolean closing;
  private long idleSince;

  UpstreamConnection(Channel channel, EndpointPool pool) {
    this.channel = channel;
    this.pool = pool;
  }

  void install() {
    channel.pipeline().addLast("http", decoder);
    channel.pipeline().addLast("lease", this);
  }

  Channel channel() {
    return channel;
  }

  boolean isUsable() {
    return !closing && channel.isActive();
  }

  long idleSince() {
    return idleSince;
  }

  /** Marks the connection as idle; one read stays outstanding. */
  void idleSince(long nanos) {
    idleSince = nanos;
    channel.read();
  }

  /** Prepares the decoder for the reply to a request that is about to be written. */
  void awaitResponse() {
    decoder.awaitResponse();
  }

  void leasedTo(@Nullable Lease holder) {
    lease = holder;
  }

  /** True if any byte of the reply has arrived. */
  boolean responseBegan() {
    return decoder.hasSeenBytes();
  }

  void close() {
    closing = true;
    channel.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    assert pool.loop().inEventLoop();
    Lease holder = lease;
    if (holder == null) {
      ReferenceCountUtil.release(message);
      if (isUsable()) {
        pool.unsolicitedBytesReceived();
      }
      close();
      return;
    }
    switch (message) {
      case ByteBuf bytes -> holder.body(bytes);
      case ResponseHead head -> holder.head(head);
      case BodyEnd _ -> holder.bodyEnd();
      case BadResponse bad ->
          holder.connectionFailed(new ConnectionFailure.Malformed(bad.reason()));
      case TruncatedResponse _ ->
          holder.connectionFailed(new ConnectionFailure.Closed(responseBegan()));
      case UnsolicitedBytes _ -> unsolicitedBytes(holder);
      default -> {
        ReferenceCountUtil.release(message);
        throw new IllegalStateException("unexpected upstream message " + message.getClass());
      }
    }
  }

  // Before a reply no valid one can follow them; after a reply the lease still waits for its end.
  private void unsolicitedBytes(Lease holder) {
    holder.unsolicitedBytesReceived();
    if (!responseBegan()) {
      close();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (lease != null) {
      lease.readComplete();
    } else if (isUsable()) {
      channel.read();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (lease != null && channel.isWritable()) {
      lease.writeSoon();
    }
  }

  void writeFailed() {
    fail(new ConnectionFailure.Reset(responseBegan()));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException || cause instanceof DecoderException)) {
      LOG.error("a connection to {} failed unexpectedly", pool.endpoint(), cause);
    }
    fail(reset(cause));
  }

  /** With TLS 1.3 a client certificate is refused when the handshake is over on this side. */
  private ConnectionFailure reset(Throwable cause) {
    if (!ConnectFault.isTls(cause)) {
      return new ConnectionFailure.Reset(responseBegan());
    }
    ConnectFault fault = ConnectFault.of(cause, ConnectFault.TLS);
    return new ConnectionFailure.Reset(responseBegan(), fault, fault.reason(cause));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    // The decoder has already reported a truncated reply; here no byte had arrived.
    fail(new ConnectionFailure.Closed(responseBegan()));
  }

  // Reported before closing, which would report another failure.
  private void fail(ConnectionFailure failure) {
    closing = true;
    if (lease != null) {
      lease.connectionFailed(failure);
    }
    channel.close();
  }
}
