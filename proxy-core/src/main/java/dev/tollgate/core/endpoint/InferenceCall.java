package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** One admitted request for one model: what every attempt at it needs. */
public sealed interface InferenceCall permits ChatCall, CompletionCall, EmbeddingCall {
  RequestId id();

  InferenceRequest request();

  Model model();

  /** How the next attempt deals with what the client already has: nothing, unless it was begun. */
  default Opening opening() {
    return new Opening.Plain();
  }

  /** The same request for a model that serves in the other's place. */
  InferenceCall at(Model other);

  /** The same request for an attempt that begins in another way, where there is one. */
  default InferenceCall with(Opening other) {
    return this;
  }

  /** The body in canonical form; it wraps the request's array, which must outlive the buffers. */
  List<ByteBuf> bodyFor(Route route);

  /** The body to send, in the form that the route's provider understands. */
  default Outgoing outgoing(Route route) {
    return Outgoing.whole(bodyFor(route));
  }

  /** A fresh stream, to be filled by the provider's events. */
  ReplyStream stream(ProviderId provider);

  /** Reads a provider's whole reply. */
  WholeReply.Read reply(ProviderId provider, byte[] body, int length);
}
