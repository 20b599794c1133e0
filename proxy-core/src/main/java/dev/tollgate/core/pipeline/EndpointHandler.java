package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.Endpoint.Match;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.http.Cors;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.pipeline.RequestProgress.Probe;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import dev.tollgate.core.pipeline.RequestProgress.Routed;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
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
  private final @Nullable Cors cors;

  EndpointHandler(ClientConnection connection, GatewayOptions options) {
    this.connection = connection;
    this.healthPath = options.healthPath();
    this.cors = options.cors();
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
      routeBesideTheApi(ctx, received);
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

  private void routeBesideTheApi(ChannelHandlerContext ctx, Received received) {
    RequestHead head = received.head();
    List<FieldLines> preflight = ofPreflight(head);
    if (!preflight.isEmpty()) {
      answer(ctx, 204, preflight, Unpooled.EMPTY_BUFFER);
    } else if (head.path().equals(healthPath) && head.method().equals("GET")) {
      connection.advance(new Probe(received));
      answer(ctx, 200, List.of(), ByteBufUtil.writeAscii(ctx.alloc(), "ok\n"));
    } else {
      RefusalWriter.refuse(ctx, notFound(head));
    }
  }

  /** Returns the fields that allow a browser its call of the API; empty for other requests. */
  private List<FieldLines> ofPreflight(RequestHead head) {
    return cors != null && head.path().startsWith("/v1/") ? cors.ofPreflight(head) : List.of();
  }

  private static void answer(
      ChannelHandlerContext ctx, int status, List<FieldLines> fields, ByteBuf body) {
    var _ = ctx.write(new Reply.Whole(status, "text/plain", fields, body), ctx.voidPromise());
    ctx.flush();
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
}
