package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;

/** One admitted chat request for one model: what every attempt at it needs. */
public record ChatCall(RequestId id, ChatRequest request, Model model) {
  /** The same request for a model that serves in the other's place. */
  public ChatCall at(Model other) {
    return other.id().equals(model.id()) ? this : new ChatCall(id, request, other);
  }

  /** A fresh stream, to be filled by the provider's events. */
  public ChatStream stream(ProviderId provider) {
    return new ChatStream(ChatStamp.of(model, provider, id));
  }

  /** Reads a provider's whole reply. */
  public ChatReply.Read reply(ProviderId provider, byte[] body, int length) {
    return ChatReply.read(ChatStamp.of(model, provider, id), body, length);
  }
}
