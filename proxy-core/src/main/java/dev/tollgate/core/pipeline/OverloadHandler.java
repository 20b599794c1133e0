package dev.tollgate.core.pipeline;

import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.pipeline.LoadShedder.Verdict;
import dev.tollgate.core.pipeline.RequestProgress.Routed;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Handler {@code overload}: refuses requests while the node has too much work, before any is done
 * for them.
 */
final class OverloadHandler extends ChannelInboundHandlerAdapter {
  private final ClientConnection connection;
  private final LoadShedder shedder;

  OverloadHandler(ClientConnection connection, LoadShedder shedder) {
    this.connection = connection;
    this.shedder = shedder;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof Routed routed)) {
      ctx.fireChannelRead(message);
      return;
    }
    switch (shedder.judge(routed.match().endpoint())) {
      case Verdict.Serve _ -> ctx.fireChannelRead(routed);
      case Shed shed -> OverloadRefusal.decline(ctx, connection, shed);
    }
  }
}
