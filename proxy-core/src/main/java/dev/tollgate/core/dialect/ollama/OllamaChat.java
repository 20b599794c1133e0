package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import java.util.Set;

/** Translates chat requests and replies between OpenAI's format and Ollama's own API. */
final class OllamaChat implements ChatTranslation {
  private static final Set<String> TAKEN = Set.of(ReasoningText.MEMBER, LostMembers.IMAGES);

  @Override
  public TranslatedRequest chat(JsonMembers chat, Route route, Model model) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          out.name("model").string(route.upstreamModel());
          new OllamaParameters(chat, route, model, dropped).writeTo(out);
          new OllamaMessages(chat, dropped).writeTo(out);
          LostMembers.addTo(dropped, chat, _ -> TAKEN);
        });
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
