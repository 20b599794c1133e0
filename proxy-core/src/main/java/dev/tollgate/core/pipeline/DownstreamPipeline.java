package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.http.RequestDecoder;
import dev.tollgate.core.http.RequestLimits;
import io.netty.channel.ChannelPipeline;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Builder of a client connection's pipeline: adds the handlers in the order that a request passes.
 * Those that frame requests are the same on every listener, the tail is not.
 */
final class DownstreamPipeline {
  private final GatewayOptions options;
  private final RequestObserver observer;
  private final InstantSource clock;
  private final @Nullable Tls tls;
  private final ConnectionCount connections;
  private final BooleanSupplier draining;
  private final ReplyWriter replies;
  private final DrainingBodies drainingBodies;
  private final Tail tail;

  /** The handlers that judge and answer the requests that the others have framed. */
  interface Tail {
    void addTo(ChannelPipeline pipeline, ClientConnection connection);
  }

  DownstreamPipeline(
      GatewayOptions options,
      RequestObserver observer,
      InstantSource clock,
      @Nullable Tls tls,
      ConnectionCount connections,
      BooleanSupplier draining,
      DrainingBodies drainingBodies,
      Tail tail) {
    this.options = options;
    this.observer = observer;
    this.clock = clock;
    this.tls = tls;
    this.connections = connections;
    this.draining = draining;
    this.drainingBodies = drainingBodies;
    this.tail = tail;
    this.replies = new ReplyWriter(new ReplyHead(new HttpDate(clock), options.cors()));
  }

  /** Returns the pipeline of the API listener. */
  static DownstreamPipeline ofApi(
      GatewayOptions options,
      GatewayPorts ports,
      @Nullable Tls tls,
      ConnectionCount connections,
      BooleanSupplier draining,
      DrainingBodies drainingBodies) {
    return new DownstreamPipeline(
        options,
        ports.observer(),
        ports.clock(),
        tls,
        connections,
        draining,
        drainingBodies,
        (pipeline, connection) -> addApi(pipeline, connection, options, ports));
  }

  void build(ChannelPipeline pipeline, ClientConnection connection) {
    RequestDecoder decoder =
        new RequestDecoder(RequestLimits.ofHeadBytes(options.headerBytesMax()));
    RequestIdAssigner idAssigner =
        new RequestIdAssigner(connection, clock, options.trustedProxies());

    // A connection that finds no place costs nothing but its accept.
    pipeline.addLast("connection-limit", new ConnectionLimitHandler(connections, connection));
    // Reads the client's address from trusted balancers only.
    if (options.proxyProtocol()) {
      pipeline.addLast(
          "proxy-protocol", new ProxyProtocolHandler(options.trustedProxies(), connection));
    }
    // Until a key is proved; silence in a handshake counts too.
    pipeline.addLast("unproven", new UnprovenHandler(connections, connection, options));
    // Decrypted bytes from here on.
    if (tls != null) {
      pipeline.addLast("tls", tls.handler(pipeline.channel().alloc(), options));
    }
    // Strict framing: one message per read, nothing after a request's end.
    pipeline.addLast("http", decoder);
    // Before all handlers that refuse, because all replies go through this one.
    pipeline.addLast(
        "reply",
        new ReplyHandler(connection, decoder, replies, observer, draining, drainingBodies));
    // The id comes first: every reply carries it.
    pipeline.addLast("request-id", new RequestIdHandler(connection, idAssigner));
    // Slow clients are closed before they hold memory.
    pipeline.addLast("deadlines", new DeadlinesHandler(connection, decoder, idAssigner, options));
    tail.addTo(pipeline, connection);
  }

  private static void addApi(
      ChannelPipeline pipeline,
      ClientConnection connection,
      GatewayOptions options,
      GatewayPorts ports) {
    // 404 and 415 need the head only.
    pipeline.addLast("endpoint", new EndpointHandler(connection, options));
    // No check of keys while the node has too much work.
    pipeline.addLast("overload", new OverloadHandler(connection, ports.loadShedder()));
    // A signed URL replaces the key.
    pipeline.addLast("artifacts", new ArtifactHandler(ports.downloads()));
    // All requests behind this handler have a valid key.
    pipeline.addLast(
        "auth",
        new AuthHandler(connection, ports.authenticator(), ports.refusals(), ports.clock()));
    // Requests are counted in; those that would be refused anyway send no body.
    pipeline.addLast("admit", new AdmitHandler(connection, ports.loadShedder(), ports.refusals()));
    // Memory is spent on bodies of admitted requests only.
    pipeline.addLast("body", new BodyHandler(connection, ports.bodies(), options));
    // The request is complete: the exchange answers it.
    pipeline.addLast(
        "exchange",
        new ExchangeHandler(connection, ports.service(), ports.downloads(), ports.catalog()));
  }
}
