package dev.tollgate.core.api.speech;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.openai.TranscriptionUsage;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.prompt.TextRatio;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Locale;

/**
 * Admitted transcription request bound to one model: creates the body for each attempt and the
 * reader of each reply.
 */
public record TranscriptionCall(RequestId id, TranscriptionRequest request, Model model)
    implements InferenceCall {
  @Override
  public TranscriptionCall at(Model other) {
    return new TranscriptionCall(id, request, other);
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
    long audioTokens = request.audioTokensLikely();
    long prompt = request.prompt().tokensLikely(model, ratio);
    return new Usage(prompt, deliveredTokens, 0, 0, 0, audioTokens, 0, 0, 0, true);
  }

  @Override
  public AudioEventStream stream(ProviderId provider) {
    return AudioEventStream.written(usage(), request.likely());
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, String contentType, byte[] body, int length) {
    boolean isJson = contentType.isEmpty() || contentType.toLowerCase(Locale.ROOT).contains("json");
    return request.format().isText()
        ? TranscriptReply.text(this, contentType, body, length)
        : isJson
            ? reply(provider, body, length)
            : new WholeReply.Read.Malformed("the reply is not JSON");
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    return TranscriptReply.json(this, ReplyStamp.of(model, provider, id), body, length);
  }

  /** Returns the collector of the reply's usage. */
  AudioUsage usage() {
    var bounds =
        new AudioUsage.Bounds(request.plausibleTokensMax(), request.plausibleDurationMax());
    return new AudioUsage(TranscriptionUsage.FORMAT, model.prices(), List.of(), bounds);
  }
}
