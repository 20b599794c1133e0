package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.exchange.download.DownloadService;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.pipeline.RequestProgress.Permitted;
import dev.tollgate.core.pipeline.RequestProgress.Routed;
import dev.tollgate.core.storage.BlobName;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code artifacts}: authorizes downloads of stored files by their signed URL instead of a
 * key. All wrong URLs get the same answer, so that none reveals which files exist.
 */
final class ArtifactHandler extends ChannelInboundHandlerAdapter {
  private final DownloadService downloads;
  private @Nullable Permitted waiting;

  ArtifactHandler(DownloadService downloads) {
    this.downloads = downloads;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Routed routed && routed.match().endpoint() == Endpoint.ARTIFACT) {
      authorize(ctx, routed);
    } else if (message instanceof BodyEnd && waiting != null) {
      Permitted permitted = waiting;
      waiting = null;
      ctx.fireChannelRead(permitted);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  private void authorize(ChannelHandlerContext ctx, Routed routed) {
    RequestHead head = routed.received().head();
    Optional<BlobName> name = downloads.permitted(head.path(), head.query());
    if (name.isEmpty()) {
      RefusalWriter.reject(
          ctx, ErrorCode.NOT_FOUND, "There is nothing at this URL, or it has expired.");
    } else if (head.body() instanceof BodyLength.None) {
      waiting = new Permitted(routed, name.get());
      ctx.read(); // reads the end of the absent body
    } else {
      RefusalWriter.reject(ctx, ErrorCode.VALIDATION_FAILED, "A download takes no body.");
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.CUT_SHORT) {
      waiting = null;
    }
    ctx.fireUserEventTriggered(event);
  }
}
