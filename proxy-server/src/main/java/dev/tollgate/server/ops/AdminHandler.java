package dev.tollgate.server.ops;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.ops.AdminServer.AdminRequest;
import dev.tollgate.server.ops.AdminServer.RouteHandler;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Netty handler that answers the HTTP requests of one admin connection, one after the other. Health
 * is answered on the event loop; the other routes may block and run on a thread each, a bounded
 * number at a time.
 */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

  private final AdminAccess access;
  private final Supplier<Map<AdminRoute, RouteHandler>> handlers;
  private final Semaphore work;
  private final AdminDeadlines deadlines;

  AdminHandler(
      AdminAccess access,
      Supplier<Map<AdminRoute, RouteHandler>> handlers,
      Semaphore work,
      AdminDeadlines deadlines) {
    this.access = access;
    this.handlers = handlers;
    this.work = work;
    this.deadlines = deadlines;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.read();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    deadlines.requestReceived();
    var exchange = new AdminExchange(ctx, request);
    if (request.decoderResult().isFailure()) {
      exchange.refuse(ErrorCode.VALIDATION_FAILED, "not an HTTP request");
      return;
    }
    Optional<AdminRoute> route = AdminRoute.match(request.method().name(), request.uri());
    if (!access.isHostAccepted(request.headers())) {
      exchange.refuse(ErrorCode.FORBIDDEN, "Host must be localhost or an address without a token");
    } else if (route.isEmpty()) {
      exchange.refuse(ErrorCode.NOT_FOUND, "unknown path or method");
    } else if (!access.isTokenAccepted(route.get(), request.headers())) {
      exchange.refuse(ErrorCode.UNAUTHENTICATED, "Authorization: Bearer <admin token> is required");
    } else if (AdminAccess.isFromPage(route.get(), request.headers())) {
      exchange.refuse(ErrorCode.FORBIDDEN, "requests of web pages are refused");
    } else {
      dispatch(route.get(), exchange);
    }
  }

  private void dispatch(AdminRoute route, AdminExchange exchange) {
    RouteHandler handler = handlers.get().get(route);
    if (handler == null) {
      exchange.refuse(ErrorCode.SERVICE_UNAVAILABLE, "not started yet");
    } else if (route.access() == AdminRoute.Access.OPEN) {
      exchange.handle(handler);
    } else if (!work.tryAcquire()) {
      exchange.refuse(ErrorCode.SERVICE_UNAVAILABLE, "too many requests at once");
    } else {
      // A platform thread: on a virtual thread a BufferedWriter starts with a tiny buffer and
      // grows it by a character at a time, which took 20 MB for one scrape.
      Thread.ofPlatform()
          .daemon()
          .name("admin-" + route.path())
          .start(
              () -> {
                try {
                  exchange.handle(handler);
                } finally {
                  work.release();
                }
              });
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("admin connection failed: {}", cause.toString());
    var _ = ctx.close();
  }

  /** One request and its reply; holds no reference to the request's buffer. */
  private final class AdminExchange {
    private final ChannelHandlerContext ctx;
    private final RequestId id = RequestId.at(System.currentTimeMillis());
    private final boolean keepAlive;
    private final AdminRequest request;

    AdminExchange(ChannelHandlerContext ctx, FullHttpRequest request) {
      this.ctx = ctx;
      this.keepAlive = HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
      this.request = new AdminRequest(id, request.headers().get(HttpHeaderNames.ACCEPT));
    }

    // A failure of any kind is answered, so that the operator sees it.
    void handle(RouteHandler handler) {
      try {
        send(handler.handle(request));
      } catch (Exception e) {
        LOG.error("{} admin request failed", id, e);
        refuse(ErrorCode.INTERNAL_FAILURE, "failed; for details search the log for " + id);
      }
    }

    void refuse(ErrorCode code, String message) {
      send(AdminReply.error(code, message, id, Map.of()));
    }

    private void send(AdminReply reply) {
      byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
      var response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.valueOf(reply.status()),
              Unpooled.wrappedBuffer(body));
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, reply.contentType())
          .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
          .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
          .set("x-request-id", id.value());
      if (reply.status() == ErrorCode.UNAUTHENTICATED.status()) {
        response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
      }
      HttpUtil.setKeepAlive(response, keepAlive);
      ctx.writeAndFlush(response)
          .addListener(keepAlive ? _ -> readNext() : ChannelFutureListener.CLOSE);
    }

    // Only after the current read has completed: a read requested within it would be lost.
    private void readNext() {
      deadlines.replySent();
      ctx.executor().execute(ctx::read);
    }
  }
}
