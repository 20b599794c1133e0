package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;

/** One admitted request for one model: what every attempt at it needs. */
public interface InferenceCall {
  RequestId id();

  InferenceRequest request();

  Model model();

  /** How the next attempt deals with what the client already has: nothing, unless it was begun. */
  default StreamContinuation continuation() {
    return new StreamContinuation.None();
  }

  /** The same request for a model that serves in the other's place. */
  InferenceCall at(Model other);

  /** The same request for an attempt that begins in another way, where there is one. */
  default InferenceCall with(StreamContinuation other) {
    return this;
  }

  /** The same request with the images that it named by URL, by where they stand among its own. */
  default InferenceCall with(Map<Integer, FetchResult.Image> images) {
    return this;
  }

  /** The body in canonical form; it wraps the request's array, which must outlive the buffers. */
  List<ByteBuf> bodyFor(Route route);

  /**
   * About how many bytes a body in the provider's own form takes; 0: it is the request's own array,
   * with edits.
   */
  default int translatedBytes(Route route) {
    return 0;
  }

  /** The body to send, in the form that the route's provider understands. */
  default UpstreamBody upstreamBody(Route route) {
    return UpstreamBody.whole(bodyFor(route));
  }

  /** The usage that nobody reported, with our own count of the output. */
  default Usage usageLikely(long deliveredTokens) {
    return Usage.estimate(request().promptTokensLikely(), deliveredTokens);
  }

  /** A fresh stream, to be filled by the provider's events. */
  ReplyEventStream stream(ProviderId provider);

  /** What counts a provider's bytes, of a request whose reply comes as such. */
  default ReplyByteStream bytes() {
    throw new IllegalStateException("the reply does not come as bytes");
  }

  /** The content type of such bytes, which their provider told or did not. */
  default String bytesType(String reported) {
    return reported;
  }

  /**
   * Reads a provider's whole reply that is not in JSON.
   *
   * @param contentType as the provider told it
   */
  default WholeReply.Read reply(ProviderId provider, String contentType, byte[] body, int length) {
    return reply(provider, body, length);
  }

  /** Reads a provider's whole reply. */
  WholeReply.Read reply(ProviderId provider, byte[] body, int length);
}
