package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * One admitted chat request for one model: what every attempt at it needs.
 *
 * @param opening how the next attempt deals with what the client already has
 */
public record ChatCall(RequestId id, ChatRequest request, Model model, Opening opening) {
  /** A request of which nobody has anything yet. */
  public ChatCall(RequestId id, ChatRequest request, Model model) {
    this(id, request, model, new Opening.Plain());
  }

  /** The same request for a model that serves in the other's place. */
  public ChatCall at(Model other) {
    return other.id().equals(model.id()) ? this : new ChatCall(id, request, other, opening);
  }

  /** The same request for an attempt that begins in another way. */
  public ChatCall with(Opening other) {
    return new ChatCall(id, request, model, other);
  }

  /** The body to send; it wraps the request's array, which must outlive the buffers. */
  public List<ByteBuf> bodyFor(Route route) {
    return switch (opening) {
      case Opening.Plain _, Opening.Kept _, Opening.Replay _ -> request.bodyFor(route);
      case Opening.Prefill prefill -> request.bodyFor(route, prefill.delivered());
    };
  }

  /** A fresh stream, to be filled by the provider's events. */
  public ChatStream stream(ProviderId provider) {
    return new ChatStream(ChatStamp.of(model, provider, id), opening);
  }

  /** Reads a provider's whole reply. */
  public ChatReply.Read reply(ProviderId provider, byte[] body, int length) {
    return ChatReply.read(ChatStamp.of(model, provider, id), body, length);
  }
}
