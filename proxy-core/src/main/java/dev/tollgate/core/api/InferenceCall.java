package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.prompt.TextRatio;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

/**
 * Admitted inference request bound to one model: creates the body for each attempt and the reader
 * of each reply.
 */
public interface InferenceCall {
  RequestId id();

  InferenceRequest request();

  Model model();

  /** Returns the way in which the next attempt treats the content that the client already has. */
  default StreamContinuation continuation() {
    return new StreamContinuation.None();
  }

  /** Returns the same request for a fallback model. */
  InferenceCall at(Model other);

  /**
   * Returns the same request for an attempt with another continuation, if the endpoint has
   * continuations.
   */
  default InferenceCall with(StreamContinuation other) {
    return this;
  }

  /** Returns the same request with the media that the gateway fetched. */
  default InferenceCall with(FetchedMedia fetched) {
    return this;
  }

  /**
   * Returns the body in canonical form. The buffers wrap the request's array, which must outlive
   * them.
   */
  List<ByteBuf> bodyFor(Route route);

  /**
   * Returns the approximate size of the body in the provider's own format; 0 if the body is the
   * request's own array with edits.
   */
  default int translatedBytes(Route route) {
    return 0;
  }

  /** Returns the body in the format of the route's provider. */
  default UpstreamBody upstreamBody(Route route) {
    return UpstreamBody.whole(bodyFor(route));
  }

  /**
   * Returns the estimated usage if the provider reported none, from the gateway's own count of the
   * output.
   *
   * @param ratio of the model's prompts
   */
  default Usage usageLikely(long deliveredTokens, TextRatio ratio) {
    return Usage.estimate(request().prompt().tokensLikely(model(), ratio), deliveredTokens);
  }

  /**
   * Returns the translation of a provider's replies to the canonical format; empty means that they
   * are canonical.
   */
  default Optional<? extends ReplyTranslation> replies(Dialect dialect, Provider provider) {
    return dialect.replies(request().operation(), provider);
  }

  /** Returns a new stream that the provider's events are written to. */
  ReplyEventStream stream(ProviderId provider);

  /** Returns the byte counter of a reply that is passed as opaque bytes. */
  default ReplyByteStream bytes() {
    throw new IllegalStateException("the reply does not come as bytes");
  }

  /** Returns the content type of such bytes; the provider may have reported none. */
  default String bytesType(String reported) {
    return reported;
  }

  /**
   * Reads a provider's whole reply that is not JSON.
   *
   * @param contentType as reported by the provider
   */
  default WholeReply.Read reply(ProviderId provider, String contentType, byte[] body, int length) {
    return reply(provider, body, length);
  }

  /** Reads a provider's whole reply. */
  WholeReply.Read reply(ProviderId provider, byte[] body, int length);
}
