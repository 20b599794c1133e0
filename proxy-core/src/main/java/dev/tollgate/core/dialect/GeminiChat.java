package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Chats as Gemini's generateContent; the model and whether it streams are in the target. */
final class GeminiChat implements Translation {
  private static final int BODY_BYTES_USUAL = 4_096;

  @Override
  public TranslatedChat chat(JsonMembers chat, Route route, Model model) {
    var dropped = new Dropped();
    ByteBuf body = Unpooled.buffer(BODY_BYTES_USUAL);
    JsonOut out = new JsonOut(body);
    out.beginObject();
    new GeminiTurns(chat, route.upstreamModel(), dropped).writeTo(out);
    new GeminiTools(chat, dropped).writeTo(out);
    new GeminiParameters(chat, route, model, dropped).writeTo(out);
    out.endObject();
    return new TranslatedChat(body, dropped.paths());
  }

  @Override
  public SseSink stream(SseSink canonical) {
    return new GeminiStream(canonical);
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return GeminiReply.translated(body, length);
  }
}
