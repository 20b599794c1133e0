package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.UsageTerms;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

/** One admitted request for speech by one model. */
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

  /** All that is generated is audio. */
  @Override
  public Usage usageLikely(long deliveredTokens) {
    long prompt = request.promptTokensLikely();
    return new Usage(prompt, deliveredTokens, 0, 0, 0, 0, 0, deliveredTokens, 0, true);
  }

  @Override
  public SpeechBytes bytes() {
    boolean isMeasured = model.prices().isByTokens() || model.prices().perAudioSecond() > 0;
    Optional<Usage> known = isMeasured ? Optional.empty() : Optional.of(Usage.ZERO);
    return new SpeechBytes(request.quantities(), known, request.format());
  }

  /** A type that says nothing is replaced: players wait for all of what they do not know. */
  @Override
  public String bytesType(String told) {
    return told.isEmpty() || told.contains("octet-stream") ? request.format().contentType() : told;
  }

  @Override
  public AudioEvents stream(ProviderId provider) {
    var bounds = new AudioUsage.Bounds(request.tokensBelievable(), request.believable());
    var usage =
        new AudioUsage(UsageTerms.OPENAI_SPEECH, model.prices(), request.quantities(), bounds);
    return AudioEvents.spoken(usage, request.format());
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    throw new IllegalStateException("speech comes as it is made");
  }
}
