package dev.tollgate.core.pipeline;

import dev.tollgate.core.http.RequestDecoder;
import dev.tollgate.core.http.RequestLimits;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The client side of the gateway, top to bottom: what a request meets, in this order. */
final class DownstreamPipeline {
  private final GatewayOptions options;
  private final GatewayPorts ports;
  private final @Nullable SslContext tls;
  private final ConnectionCount connections;
  private final BooleanSupplier draining;
  private final ReplyWriter replies;
  private final DrainingBodies drainingBodies;

  DownstreamPipeline(
      GatewayOptions options,
      GatewayPorts ports,
      @Nullable SslContext tls,
      ConnectionCount connections,
      BooleanSupplier draining,
      DrainingBodies drainingBodies) {
    this.options = options;
    this.ports = ports;
    this.tls = tls;
    this.connections = connections;
    this.draining = draining;
    this.drainingBodies = drainingBodies;
    this.replies = new ReplyWriter(new ReplyHead(new HttpDate(ports.clock())));
  }

  void build(ChannelPipeline pipeline, ClientConnection connection) {
    RequestDecoder decoder =
        new RequestDecoder(RequestLimits.ofHeadBytes(options.headerBytesMax()));
    RequestIdAssigner idAssigner =
        new RequestIdAssigner(connection, ports.clock(), options.trustedProxies());

    // One connection too many costs nothing but its accept.
    pipeline.addLast("gate", new ConnectionLimitHandler(connections, connection));
    // Where a balancer says first who calls; only trusted ones may.
    if (options.proxyProtocol()) {
      pipeline.addLast(
          "proxy-protocol", new ProxyProtocolHandler(options.trustedProxies(), connection));
    }
    // Bytes in the clear from here on.
    if (tls != null) {
      pipeline.addLast("tls", Tls.handler(tls, pipeline.channel().alloc(), options));
    }
    // Strict framing: one message per read, nothing behind a request's end.
    pipeline.addLast("http", decoder);
    // Above all that may refuse, because all answers go through it.
    pipeline.addLast(
        "reply",
        new ReplyHandler(connection, decoder, replies, ports.observer(), draining, drainingBodies));
    // A name first: every answer carries it.
    pipeline.addLast("request-id", new RequestIdHandler(connection, idAssigner));
    // Slow clients end here, before they hold anything dear.
    pipeline.addLast("deadlines", new DeadlinesHandler(connection, decoder, idAssigner, options));
    // 404 and 415 need the head only.
    pipeline.addLast("endpoint", new EndpointHandler(connection, options.healthPath()));
    // No work for a key's check while there is too much work.
    pipeline.addLast("overload", new OverloadHandler(connection, ports.loadShedder()));
    // A signed URL is a key of its own.
    pipeline.addLast("artifacts", new ArtifactHandler(ports.downloads()));
    // Nobody gets behind this without a key.
    pipeline.addLast("auth", new AuthHandler(connection, ports.authenticator(), ports.clock()));
    // Known callers are counted, and who is known to be refused anyway sends no body.
    pipeline.addLast("admit", new AdmitHandler(connection, ports.loadShedder(), ports.refusals()));
    // Only now is a body worth its memory.
    pipeline.addLast("body", new BodyHandler(connection, ports.inflightBytes(), options));
    // The request is whole: answer it.
    pipeline.addLast(
        "exchange",
        new ExchangeHandler(connection, ports.service(), ports.downloads(), ports.catalog()));
  }
}
