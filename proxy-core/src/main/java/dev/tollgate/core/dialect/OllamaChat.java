package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Chats as Ollama's own API takes them. */
final class OllamaChat implements Translation {
  private static final int BODY_BYTES_USUAL = 4_096;

  @Override
  public TranslatedChat chat(JsonMembers chat, Route route, Model model) {
    var dropped = new Dropped();
    ByteBuf body = Unpooled.buffer(BODY_BYTES_USUAL);
    JsonOut out = new JsonOut(body);
    out.beginObject().name("model").string(route.upstreamModel());
    new OllamaParameters(chat, route, dropped).writeTo(out);
    new OllamaMessages(chat, dropped).writeTo(out);
    out.endObject();
    return new TranslatedChat(body, dropped.paths());
  }

  @Override
  public SseSink stream(SseSink canonical) {
    return new OllamaStream(canonical);
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return OllamaReply.translated(body, length);
  }
}
