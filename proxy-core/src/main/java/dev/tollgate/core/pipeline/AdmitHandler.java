package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.Endpoint.Urgency;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.pipeline.LoadShedder.Admitted;
import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.pipeline.RequestProgress.Authenticated;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Handler {@code admit}: admits an authenticated request, or refuses it before its body is read
 * because of load, rate limits or balance. Limits refuse with 429 before the balance with 402
 * (docs/decisions/requests.md#order-of-refusals).
 */
final class AdmitHandler extends ChannelInboundHandlerAdapter {
  private final ClientConnection connection;
  private final LoadShedder shedder;
  private final KnownRefusals refusals;

  AdmitHandler(ClientConnection connection, LoadShedder shedder, KnownRefusals refusals) {
    this.connection = connection;
    this.shedder = shedder;
    this.refusals = refusals;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof Authenticated authenticated)) {
      ctx.fireChannelRead(message);
      return;
    }
    Endpoint endpoint = authenticated.routed().match().endpoint();
    switch (shedder.enter(endpoint, authenticated.key().org().id())) {
      case Admitted admitted -> {
        connection.admitted(admitted.permit());
        passOrRefuse(ctx, authenticated, endpoint);
      }
      case Shed shed -> OverloadRefusal.decline(ctx, connection, shed);
    }
  }

  private void passOrRefuse(
      ChannelHandlerContext ctx, Authenticated authenticated, Endpoint endpoint) {
    Reply.Refused refused = isFree(endpoint) ? null : refusals.of(authenticated.key(), now(ctx));
    if (refused == null) {
      ctx.fireChannelRead(authenticated);
    } else {
      RefusalWriter.refuse(ctx, refused);
    }
  }

  /**
   * True for lookups, which need neither money nor limits: a caller without either may still query
   * the reason.
   */
  private static boolean isFree(Endpoint endpoint) {
    return endpoint.urgency() == Urgency.LOOKUP;
  }

  private static long now(ChannelHandlerContext ctx) {
    return ctx.executor().ticker().nanoTime();
  }
}
