package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.core.http.BadResponse;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.ResponseDecoder;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.http.TruncatedResponse;
import dev.tollgate.core.http.UnsolicitedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import org.jspecify.annotations.Nullable;

/**
 * Channel handler that asks an HTTP proxy for a tunnel to an endpoint. The handlers behind it see
 * the channel become active when the tunnel is open, and nothing of the proxy. Leaves the pipeline
 * together with its decoder.
 */
final class ProxyTunnel extends ChannelInboundHandlerAdapter {
  private static final int HEAD_BYTES = 512;
  private static final int STATUS_AUTH = 407;
  private static final String TOO_MUCH = "bytes behind its answer";

  private final EndpointIdentity endpoint;
  private final HttpProxy proxy;
  private final ResponseDecoder decoder = new ResponseDecoder();
  private final Promise<Void> open;
  private @Nullable ResponseHead answer;

  /**
   * @param open completed when the tunnel is open, or failed with a {@link ConnectFailure}
   */
  ProxyTunnel(EndpointIdentity endpoint, HttpProxy proxy, Promise<Void> open) {
    this.endpoint = endpoint;
    this.proxy = proxy;
    this.open = open;
  }

  void install(ChannelPipeline pipeline) {
    pipeline.addLast("proxy-http", decoder);
    pipeline.addLast("proxy", this);
  }

  Future<Void> open() {
    return open;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    decoder.awaitResponse();
    context.writeAndFlush(request(context)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    context.read();
  }

  private ByteBuf request(ChannelHandlerContext context) {
    ByteBuf out = context.alloc().buffer(HEAD_BYTES);
    HeadWriter.requestLine(out, "CONNECT", endpoint.hostAndPort());
    HeadWriter.field(out, "host", endpoint.hostAndPort());
    if (proxy.authorization() != null) {
      HeadWriter.field(out, "proxy-authorization", proxy.authorization().reveal());
    }
    HeadWriter.end(out);
    return out;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    switch (message) {
      case ResponseHead head -> answer = head;
      case BadResponse bad -> fail(context, ConnectFault.PROXY_MALFORMED, bad.reason());
      case TruncatedResponse _ ->
          fail(context, ConnectFault.PROXY_CLOSED, "before it had answered");
      case ByteBuf content when isOpened() -> {
        // No server speaks first: these bytes would be taken for a part of its first reply.
        content.release();
        fail(context, ConnectFault.PROXY_MALFORMED, TOO_MUCH);
      }
      case UnsolicitedBytes _ -> fail(context, ConnectFault.PROXY_MALFORMED, TOO_MUCH);
      default -> ReferenceCountUtil.release(message); // the text of a refusal
    }
  }

  private boolean isOpened() {
    return answer != null && answer.status() / 100 == 2;
  }

  /** The answer counts when all bytes that came with it are known. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (answer == null || open.isDone()) {
      return; // the decoder reads on
    }
    if (isOpened()) {
      opened(context);
    } else {
      ConnectFault fault =
          answer.status() == STATUS_AUTH ? ConnectFault.PROXY_AUTH : ConnectFault.PROXY_REFUSED;
      fail(context, fault, "status " + answer.status());
    }
  }

  private void opened(ChannelHandlerContext context) {
    ChannelPipeline pipeline = context.pipeline();
    pipeline.remove(decoder);
    context.fireChannelActive();
    pipeline.remove(this);
    open.trySuccess(null);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(context, ConnectFault.PROXY_CLOSED, String.valueOf(cause.getMessage()));
  }

  private void fail(ChannelHandlerContext context, ConnectFault fault, String detail) {
    open.tryFailure(new ConnectFailure(fault, "proxy " + proxy + ": " + detail));
    context.close();
  }
}
