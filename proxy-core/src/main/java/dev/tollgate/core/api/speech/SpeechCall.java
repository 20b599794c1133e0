package dev.tollgate.core.api.speech;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.openai.SpeechUsage;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.prompt.TextRatio;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

/**
 * Admitted text-to-speech request bound to one model: creates the body for each attempt and the
 * reader of each reply.
 */
public record SpeechCall(RequestId id, SpeechRequest request, Model model)
    implements InferenceCall {
  @Override
  public SpeechCall at(Model other) {
    return new SpeechCall(id, request, other);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return request.bodyFor(route);
  }

  @Override
  public UpstreamBody upstreamBody(Route route) {
    return request.upstreamBody(route);
  }

  /** Returns a usage in which all output tokens are audio tokens. */
  @Override
  public Usage usageLikely(long deliveredTokens, TextRatio ratio) {
    long prompt = request.prompt().tokensLikely(model, ratio);
    return new Usage(prompt, deliveredTokens, 0, 0, 0, 0, 0, deliveredTokens, 0, true);
  }

  @Override
  public SpeechByteStream bytes() {
    boolean isMeasured = model.prices().isByTokens() || model.prices().perAudioSecond() > 0;
    Optional<Usage> known = isMeasured ? Optional.empty() : Optional.of(Usage.ZERO);
    return new SpeechByteStream(request.quantities(), known, request.format());
  }

  /** Returns the format's type in place of a generic one: players buffer all of an unknown type. */
  @Override
  public String bytesType(String reported) {
    return reported.isEmpty() || reported.contains("octet-stream")
        ? request.format().contentType()
        : reported;
  }

  @Override
  public AudioEventStream stream(ProviderId provider) {
    var bounds =
        new AudioUsage.Bounds(request.plausibleTokensMax(), request.plausibleDurationMax());
    var usage = new AudioUsage(SpeechUsage.FORMAT, model.prices(), request.quantities(), bounds);
    return AudioEventStream.spoken(usage, request.format());
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    throw new IllegalStateException("speech has no whole reply");
  }
}
