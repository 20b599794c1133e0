package dev.tollgate.core.api.image;

import dev.tollgate.core.api.FetchedMedia;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ReplyEventStream;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.prompt.TextRatio;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Admitted image request bound to one model: creates the body for each attempt and reads the
 * provider's reply.
 */
public record ImageCall(RequestId id, ImageRequest request, Model model) implements InferenceCall {
  @Override
  public ImageCall at(Model other) {
    return new ImageCall(id, request, other);
  }

  @Override
  public ImageCall with(FetchedMedia fetched) {
    request.fetched(fetched.images());
    return this;
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return request.bodyFor(route);
  }

  @Override
  public UpstreamBody upstreamBody(Route route) {
    return request.upstreamBody(route);
  }

  @Override
  public int translatedBytes(Route route) {
    return request.builtBytes(route);
  }

  /**
   * @param deliveredTokens one for each image
   */
  @Override
  public Usage usageLikely(long deliveredTokens, TextRatio ratio) {
    return ImageOptions.usageLikely(request.prompt().tokensLikely(model, ratio), deliveredTokens);
  }

  @Override
  public ReplyEventStream stream(ProviderId provider) {
    throw new IllegalStateException("images do not come as a stream");
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    ReplyStamp stamp = ReplyStamp.of(model, provider, id);
    return ImageReply.read(request, model, stamp, body, length);
  }
}
