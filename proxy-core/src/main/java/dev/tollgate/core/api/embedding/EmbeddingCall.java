package dev.tollgate.core.api.embedding;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ReplyEventStream;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

/**
 * Admitted embedding request bound to one model: creates the body for each attempt and reads the
 * provider's reply.
 */
public record EmbeddingCall(RequestId id, EmbeddingRequest request, Model model)
    implements InferenceCall {
  @Override
  public EmbeddingCall at(Model other) {
    return new EmbeddingCall(id, request, other);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return request.bodyFor(route);
  }

  @Override
  public UpstreamBody upstreamBody(Route route) {
    return Dialects.named(route.provider().dialect())
        .embeddings()
        .map(vectors -> vectors.request(request.canonical(), route))
        .map(sent -> new UpstreamBody(List.of(sent.body()), sent.dropped()))
        .orElseGet(() -> request.upstreamBody(route));
  }

  @Override
  public int translatedBytes(Route route) {
    boolean translates = Dialects.named(route.provider().dialect()).embeddings().isPresent();
    return translates ? request.canonical().objectEnd() - request.canonical().objectStart() : 0;
  }

  @Override
  public ReplyEventStream stream(ProviderId provider) {
    throw new IllegalStateException("embeddings have no stream");
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    int tokensMax = request.promptTokensAtMost(model);
    ReplyStamp stamp = ReplyStamp.of(model.id(), tokensMax, provider, id);
    Optional<byte[]> packed =
        request.wantsBase64() ? Base64Vectors.of(body, length) : Optional.empty();
    return packed.isPresent()
        ? EmbeddingReply.read(stamp, packed.get(), packed.get().length)
        : EmbeddingReply.read(stamp, body, length);
  }
}
