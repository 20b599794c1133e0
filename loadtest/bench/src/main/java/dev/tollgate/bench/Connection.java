package dev.tollgate.bench;

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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Channel handler of one client connection to a benchmarked server, with one request at a time. It
 * follows the HTTP decoder in the pipeline.
 */
final class Connection extends ChannelInboundHandlerAdapter {
  private final Channel channel;
  private final ResponseDecoder decoder;
  private final Owner owner;
  private final LongSupplier clock;
  private @Nullable PendingRequest pending;

  /** Callbacks for the events of a connection. */
  interface Owner {
    /** The request has ended and the connection may serve another. */
    void freed(Connection connection, long nowNanos);

    /** The request has ended and the connection with it. */
    void spent(Connection connection, long nowNanos);

    /** The connection was closed while idle. */
    void closed(Connection connection);
  }

  Connection(Channel channel, ResponseDecoder decoder, Owner owner, LongSupplier clock) {
    this.channel = channel;
    this.decoder = decoder;
    this.owner = owner;
    this.clock = clock;
  }

  void send(RequestTemplate work, long intendedNanos, long nowNanos) {
    pending = new PendingRequest(work, intendedNanos);
    work.tally().sent(nowNanos - intendedNanos);
    decoder.awaitResponse();
    channel.writeAndFlush(work.request().retainedDuplicate(), channel.voidPromise());
  }

  /** Fails a request that exceeds the timeout. */
  void expire(long nowNanos, long timeoutNanos) {
    PendingRequest waiting = pending;
    if (waiting != null && waiting.isOverdue(nowNanos, timeoutNanos)) {
      fail(waiting, Failure.TIMEOUT, nowNanos);
    }
  }

  /** Closes the connection; its request is not counted. */
  void abandon() {
    pending = null;
    channel.close();
  }

  boolean isBusy() {
    return pending != null;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    PendingRequest reading = pending;
    switch (message) {
      case ByteBuf bytes -> {
        try {
          if (reading != null) {
            reading.body(bytes, clock.getAsLong());
          }
        } finally {
          bytes.release();
        }
      }
      case ResponseHead head when reading != null -> reading.head(head);
      case BodyEnd _ when reading != null -> end(reading, clock.getAsLong());
      case TruncatedResponse _ when reading != null ->
          fail(reading, reading.cutOff(), clock.getAsLong());
      case BadResponse _ when reading != null ->
          fail(reading, Failure.MALFORMED, clock.getAsLong());
      case UnsolicitedBytes _ when reading != null ->
          fail(reading, Failure.MALFORMED, clock.getAsLong());
      default -> channel.close();
    }
  }

  private void end(PendingRequest ended, long nowNanos) {
    pending = null;
    ended.count(ended.end(), nowNanos);
    if (ended.isKeptAlive() && channel.isActive()) {
      owner.freed(this, nowNanos);
    } else {
      channel.close();
      owner.spent(this, nowNanos);
    }
  }

  private void fail(PendingRequest ended, Failure how, long nowNanos) {
    pending = null;
    ended.count(how, nowNanos);
    channel.close();
    owner.spent(this, nowNanos);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    lost();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    channel.close();
    lost();
  }

  private void lost() {
    PendingRequest waiting = pending;
    if (waiting == null) {
      owner.closed(this);
    } else {
      fail(waiting, Failure.BROKEN, clock.getAsLong());
    }
  }
}
