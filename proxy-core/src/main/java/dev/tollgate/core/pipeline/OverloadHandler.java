package dev.tollgate.core.pipeline;

import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.pipeline.LoadShedder.Verdict;
import dev.tollgate.core.pipeline.Progress.Routed;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Turns requests away while the node has more work than it can do, before any is spent on them. */
final class OverloadHandler extends ChannelInboundHandlerAdapter {
  private final Conversation conversation;
  private final LoadShedder shedder;

  OverloadHandler(Conversation conversation, LoadShedder shedder) {
    this.conversation = conversation;
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
      case Shed shed -> Overloaded.decline(ctx, conversation, shed);
    }
  }
}
