package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Chats as Anthropic's Messages, here and at other hosts of its models. */
final class AnthropicChat implements Translation {
  private static final int BODY_BYTES_USUAL = 4_096;

  private final Host host;

  /** Who serves the models, and how it is told which one is meant. */
  enum Host {
    /** In the body; the version of the API in a field. */
    ANTHROPIC,
    /** In the target; the version in the body. */
    VERTEX
  }

  AnthropicChat(Host host) {
    this.host = host;
  }

  @Override
  public TranslatedChat chat(JsonMembers chat, Route route, Model model) {
    var dropped = new Dropped();
    ByteBuf body = Unpooled.buffer(BODY_BYTES_USUAL);
    JsonOut out = new JsonOut(body);
    out.beginObject();
    switch (host) {
      case ANTHROPIC -> out.name("model").string(route.upstreamModel());
      case VERTEX -> out.name("anthropic_version").string("vertex-2023-10-16");
    }
    new AnthropicParameters(chat, route, model, dropped).writeTo(out);
    new AnthropicTurns(chat, dropped).writeTo(out);
    out.endObject();
    return new TranslatedChat(body, dropped.paths());
  }

  @Override
  public SseSink stream(SseSink canonical) {
    return new AnthropicStream(canonical);
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return AnthropicReply.translated(body, length);
  }
}
