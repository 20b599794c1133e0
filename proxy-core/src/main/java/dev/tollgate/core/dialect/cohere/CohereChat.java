package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.CallPairing;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/** Translates chat requests and replies between OpenAI's format and version 2 of Cohere's API. */
final class CohereChat implements ChatTranslation {
  private static final ToolNameRule TOOL_NAMES = new ToolNameRule(64, "_", true);

  @Override
  public TranslatedRequest chat(JsonMembers chat, Route route, Model model) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          out.name("model").string(route.upstreamModel());
          new CohereParameters(chat, model, dropped).writeTo(out);
          new CohereMessages(chat, dropped).writeTo(out);
          LostMembers.addTo(dropped, chat, CohereMessages::reasoningTaken);
        });
  }

  @Override
  public ToolNameRule toolNames() {
    return TOOL_NAMES;
  }

  @Override
  public CallPairing callPairing() {
    return CallPairing.BEHIND_MESSAGE;
  }

  @Override
  public SseSink stream(SseSink canonical) {
    return new CohereStream(canonical);
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return CohereReply.translated(body, length);
  }
}
