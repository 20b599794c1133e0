package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.FetchedMedia;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.StreamContinuation;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.prompt.PromptSize;
import dev.tollgate.core.prompt.TextRatio;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;

/**
 * Admitted chat request bound to one model, whose stream can be continued by another attempt.
 *
 * @param continuation treatment of the content that the client already has
 * @param media what the gateway fetched instead of some providers
 */
public record ChatCall(
    RequestId id,
    ChatRequest request,
    Model model,
    StreamContinuation continuation,
    FetchedMedia media)
    implements InferenceCall {
  /** Creates the call of a request before the client has any content. */
  public ChatCall(RequestId id, ChatRequest request, Model model) {
    this(id, request, model, new StreamContinuation.None(), FetchedMedia.NONE);
  }

  @Override
  public ChatCall at(Model other) {
    return other.id().equals(model.id())
        ? this
        : new ChatCall(id, request, other, continuation, media);
  }

  @Override
  public ChatCall with(StreamContinuation other) {
    return new ChatCall(id, request, model, other, media);
  }

  @Override
  public ChatCall with(FetchedMedia fetched) {
    return new ChatCall(id, request, model, continuation, fetched);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return adapted(route).body();
  }

  private UpstreamBody adapted(Route route) {
    UpstreamBody body =
        request.upstreamBody(sent(route, route.provider().quirks().prefill()), route);
    if (!isInline(route)) {
      return body;
    }
    ByteBuf[] parts = body.body().toArray(ByteBuf[]::new); // one buffer, which is counted
    return new UpstreamBody(List.of(Unpooled.wrappedBuffer(parts.length, parts)), body.dropped());
  }

  /** Returns the chat in canonical form, with the media that the provider gets inline. */
  private JsonMembers sent(Route route, Prefill style) {
    JsonMembers chat = isInline(route) ? request.inlined(media.images()) : request.canonical();
    return switch (continuation) {
      case StreamContinuation.None _, StreamContinuation.Recorded _, StreamContinuation.Replay _ ->
          chat;
      case StreamContinuation.Prefill prefill ->
          ChatRequest.prefilled(chat, prefill.delivered(), style);
    };
  }

  private boolean isInline(Route route) {
    return media.isFor(route.provider().id());
  }

  @Override
  public UpstreamBody upstreamBody(Route route) {
    return Dialects.named(route.provider().dialect())
        .translation()
        .map(translation -> translated(translation, route))
        .orElseGet(() -> adapted(route));
  }

  @Override
  public int translatedBytes(Route route) {
    if (isInline(route)) {
      return request.inlinedBytes(media.images());
    }
    boolean translates = Dialects.named(route.provider().dialect()).translation().isPresent();
    return translates ? request.canonical().objectEnd() - request.canonical().objectStart() : 0;
  }

  private UpstreamBody translated(ChatTranslation translation, Route route) {
    TranslatedRequest sent =
        request.translated(translation, sent(route, Prefill.MESSAGE), route, model);
    return new UpstreamBody(List.of(sent.body()), sent.dropped());
  }

  @Override
  public Usage usageLikely(long deliveredTokens, TextRatio ratio) {
    long handed =
        continuation instanceof StreamContinuation.Prefill prefill ? prefill.handedTokens() : 0;
    PromptSize prompt = request.prompt();
    long tokens = prompt.tokensLikely(model, ratio) + handed;
    long audio = prompt.media().audioTokensLikely();
    return new Usage(tokens, deliveredTokens, 0, 0, 0, audio, 0, 0, 0, true);
  }

  @Override
  public Optional<? extends ReplyTranslation> replies(Dialect dialect, Provider provider) {
    return request.restoration().behind(InferenceCall.super.replies(dialect, provider));
  }

  @Override
  public ChatStream stream(ProviderId provider) {
    return new ChatStream(ReplyStamp.of(model, provider, id), continuation);
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    return ChatReply.read(ReplyStamp.of(model, provider, id), body, length);
  }
}
