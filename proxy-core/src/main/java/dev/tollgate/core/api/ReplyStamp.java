package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonBytes;

/**
 * Members that the gateway sets in every reply of one attempt (model, provider, id, creation time),
 * as finished JSON.
 *
 * @param modelMember the whole member, ready to insert, as {@code providerMember} is
 * @param fallbackId id for replies of providers that give none
 * @param createdSeconds Unix time for replies of providers that give none
 * @param contextLength context of the model, to recognize implausible usage; 0 means unknown
 */
public record ReplyStamp(
    JsonBytes model,
    JsonBytes modelMember,
    JsonBytes provider,
    JsonBytes providerMember,
    String fallbackId,
    long createdSeconds,
    int contextLength) {
  private static final String CHAT_PREFIX = "chatcmpl-";

  public static ReplyStamp of(Model model, ProviderId provider, RequestId request) {
    return of(model.id(), model.contextLengthMax(), provider, request);
  }

  public static ReplyStamp of(
      ModelId id, int contextLength, ProviderId provider, RequestId request) {
    JsonBytes model = JsonBytes.string(id.toString());
    JsonBytes slug = JsonBytes.string(provider.value());
    return new ReplyStamp(
        model,
        JsonBytes.member("model", model),
        slug,
        JsonBytes.member("provider", slug),
        CHAT_PREFIX + request.value().substring("req_".length()),
        request.epochMillis() / 1000,
        contextLength);
  }

  /** Returns the same stamp with an id for replies other than chats. */
  public ReplyStamp named(String prefix) {
    return new ReplyStamp(
        model,
        modelMember,
        provider,
        providerMember,
        idWith(prefix),
        createdSeconds,
        contextLength);
  }

  /** Returns an id of another object in the same reply. */
  public String idWith(String prefix) {
    return prefix + fallbackId.substring(CHAT_PREFIX.length());
  }

  /** Returns an id for a tool call without one. */
  public String callId(int index) {
    return fallbackId.replace(CHAT_PREFIX, "call_") + "_" + index;
  }
}
