package dev.tollgate.core.api.completion;

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
 * Admitted text completion request bound to one model: creates the body for each attempt and the
 * reader of each reply.
 */
public record CompletionCall(RequestId id, CompletionRequest request, Model model)
    implements InferenceCall {
  @Override
  public CompletionCall at(Model other) {
    return new CompletionCall(id, request, other);
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
  public Usage usageLikely(long deliveredTokens, TextRatio ratio) {
    long written = request.writtenLikely(deliveredTokens, model);
    return Usage.estimate(request.prompt().tokensLikely(model, ratio), written);
  }

  @Override
  public ReplyEventStream stream(ProviderId provider) {
    return new CompletionStream(stamp(provider), request.choicesAsked());
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    return CompletionReply.read(stamp(provider), body, length);
  }

  private ReplyStamp stamp(ProviderId provider) {
    return ReplyStamp.of(model.id(), request.tokensAtMost(model), provider, id).named("cmpl-");
  }
}
