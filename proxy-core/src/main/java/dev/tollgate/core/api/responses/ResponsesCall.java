package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.FetchedMedia;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.StreamContinuation;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.api.chat.ChatCall;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.api.chat.ChatStream;
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
 * Admitted Responses API request bound to one model: a chat call whose reply has another form.
 *
 * @param chat the chat that the provider gets
 */
public record ResponsesCall(ResponsesRequest request, ChatCall chat) implements InferenceCall {
  @Override
  public RequestId id() {
    return chat.id();
  }

  @Override
  public Model model() {
    return chat.model();
  }

  @Override
  public StreamContinuation continuation() {
    return chat.continuation();
  }

  @Override
  public ResponsesCall at(Model other) {
    return new ResponsesCall(request, chat.at(other));
  }

  @Override
  public ResponsesCall with(StreamContinuation other) {
    return new ResponsesCall(request, chat.with(other));
  }

  @Override
  public ResponsesCall with(FetchedMedia fetched) {
    return new ResponsesCall(request, chat.with(fetched));
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return chat.bodyFor(route);
  }

  @Override
  public UpstreamBody upstreamBody(Route route) {
    UpstreamBody sent = chat.upstreamBody(route);
    return new UpstreamBody(sent.body(), sent.contentType(), request.dropped(sent.dropped()));
  }

  @Override
  public int translatedBytes(Route route) {
    return chat.translatedBytes(route);
  }

  @Override
  public Usage usageLikely(long deliveredTokens, TextRatio ratio) {
    return chat.usageLikely(deliveredTokens, ratio);
  }

  @Override
  public Optional<? extends ReplyTranslation> replies(Dialect dialect, Provider provider) {
    return chat.replies(dialect, provider);
  }

  @Override
  public ChatStream stream(ProviderId provider) {
    return new ChatStream(stamp(provider), continuation(), ResponsesChunkWriter.form(request));
  }

  @Override
  public WholeReply.Read reply(ProviderId provider, byte[] body, int length) {
    ReplyStamp stamp = stamp(provider);
    var response = new ResponseObject(stamp, request.tools());
    return ChatReply.read(
        stamp, body, length, chatReply -> new ResponsesReply(chatReply, stamp, response));
  }

  private ReplyStamp stamp(ProviderId provider) {
    return ReplyStamp.of(model(), provider, id());
  }
}
