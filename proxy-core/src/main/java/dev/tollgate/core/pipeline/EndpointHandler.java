package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.Endpoint.Match;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import dev.tollgate.core.pipeline.RequestProgress.Routed;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code endpoint}: matches a request's method, path and content type, from the head alone
 * (404, 415).
 */
final class EndpointHandler extends ChannelInboundHandlerAdapter {
  private static final String NOTHING_HERE = "There is nothing at this method and path";

  private final ClientConnection connection;
  private final @Nullable String healthPath;

  EndpointHandler(ClientConnection connection, @Nullable String healthPath) {
    this.connection = connection;
    this.healthPath = healthPath;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Received received) {
      route(ctx, received);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  private void route(ChannelHandlerContext ctx, Received received) {
    RequestHead head = received.head();
    Optional<Match> match = Endpoint.match(head.method(), head.path());
    if (match.isEmpty()) {
      if (head.path().equals(healthPath) && head.method().equals("GET")) {
        healthy(ctx);
      } else {
        RefusalWriter.refuse(ctx, notFound(head));
      }
      return;
    }
    Routed routed = new Routed(received, match.get());
    connection.advance(routed);
    String problem = problemOfContent(head, match.get().endpoint());
    if (problem == null) {
      ctx.fireChannelRead(routed);
    } else {
      RefusalWriter.reject(ctx, ErrorCode.UNSUPPORTED_MEDIA_TYPE, problem);
    }
  }

  private static Fault notFound(RequestHead head) {
    return Endpoint.near(head.method(), head.path())
        .map(
            near ->
                Fault.of(
                        ErrorCode.NOT_FOUND,
                        NOTHING_HERE + ": did you mean " + near.method() + " " + near.path() + "?")
                    .withDetails(Map.of("method", near.method(), "path", near.path())))
        .orElseGet(() -> Fault.of(ErrorCode.NOT_FOUND, NOTHING_HERE + "."));
  }

  private static @Nullable String problemOfContent(RequestHead head, Endpoint endpoint) {
    String type = head.headers().first("content-type");
    return switch (endpoint.content()) {
      case NONE -> null;
      case JSON ->
          MediaType.isJson(type)
              ? problemOfEncoding(head)
              : "Content-Type must be application/json.";
      case MULTIPART ->
          MediaType.isForm(type)
              ? problemOfEncoding(head)
              : "Content-Type must be multipart/form-data.";
      case JSON_OR_MULTIPART ->
          MediaType.isJson(type) || MediaType.isForm(type)
              ? problemOfEncoding(head)
              : "Content-Type must be application/json or multipart/form-data.";
    };
  }

  private static @Nullable String problemOfEncoding(RequestHead head) {
    String encoding = head.headers().first("content-encoding");
    boolean isPlain = encoding == null || encoding.equalsIgnoreCase("identity");
    boolean isSingle = head.headers().count("content-encoding") <= 1;
    return (isPlain && isSingle) || head.body() instanceof BodyLength.None
        ? null
        : "Content-Encoding is not supported: send the body as it is.";
  }

  private static void healthy(ChannelHandlerContext ctx) {
    ByteBuf body = ByteBufUtil.writeAscii(ctx.alloc(), "ok\n");
    var _ = ctx.write(new Reply.Whole(200, "text/plain", List.of(), body), ctx.voidPromise());
    ctx.flush();
  }
}
