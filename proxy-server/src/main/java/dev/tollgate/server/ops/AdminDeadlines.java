package dev.tollgate.server.ops;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Netty handler that closes an admin connection whose client is idle, or too slow to send a request
 * or to receive a reply. Only the first byte of a request begins a deadline, so that a client which
 * sends a byte now and then gains nothing.
 */
final class AdminDeadlines extends ChannelDuplexHandler {
  /** From the connection, or from the first byte of a further request, to its end; also idle. */
  private static final int REQUEST_SECONDS = 5;

  private static final int REPLY_SECONDS = 30;

  private final AdminConnections connections;
  private State state = State.REQUEST;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Future<?> deadline;

  /** What the connection waits for. */
  private enum State {
    NEXT_REQUEST,
    REQUEST,
    HANDLER,
    REPLY
  }

  AdminDeadlines(AdminConnections connections) {
    this.connections = connections;
  }

  @Override
  public void channelActive(ChannelHandlerContext handlerContext) {
    ctx = handlerContext;
    awaitClient(State.REQUEST, REQUEST_SECONDS);
    handlerContext.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object bytes) {
    if (state == State.NEXT_REQUEST) {
      state = State.REQUEST;
      arm(REQUEST_SECONDS);
    }
    ctx.fireChannelRead(bytes);
  }

  /** Ends the deadline of a request that is complete. */
  void requestReceived() {
    state = State.HANDLER;
    cancel();
    connections.awaitsNoClient(context().channel());
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (state == State.HANDLER) {
      awaitClient(State.REPLY, REPLY_SECONDS);
    }
    ctx.write(message, promise);
  }

  /** Begins to wait for the next request, since the client has the reply. */
  void replySent() {
    connections.awaitsNoClient(context().channel());
    if (context().channel().isActive()) {
      awaitClient(State.NEXT_REQUEST, REQUEST_SECONDS);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    cancel();
    connections.awaitsNoClient(ctx.channel());
  }

  private void awaitClient(State next, int seconds) {
    state = next;
    arm(seconds);
    connections.awaitsClient(context().channel());
  }

  private void arm(int seconds) {
    cancel();
    deadline = context().executor().schedule(() -> context().close(), seconds, SECONDS);
  }

  private void cancel() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private ChannelHandlerContext context() {
    if (ctx == null) {
      throw new IllegalStateException("not in a pipeline");
    }
    return ctx;
  }
}
