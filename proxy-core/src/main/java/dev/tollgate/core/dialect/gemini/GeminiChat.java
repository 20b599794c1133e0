package dev.tollgate.core.dialect.gemini;

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

/**
 * Translates chat requests and replies between OpenAI's format and Gemini's generateContent API.
 * The target contains the model and whether it streams.
 */
final class GeminiChat implements ChatTranslation {
  private static final ToolNameRule TOOL_NAMES = new ToolNameRule(64, "_-.:", true);

  @Override
  public TranslatedRequest chat(JsonMembers chat, Route route, Model model) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          boolean ownFiles = route.provider().quirks().rights().ownFiles();
          new GeminiTurns(chat, route.upstreamModel(), ownFiles, dropped).writeTo(out);
          new GeminiTools(chat, dropped).writeTo(out);
          new GeminiParameters(chat, route, model, dropped).writeTo(out);
          LostMembers.addTo(dropped, chat, GeminiSignature::membersTaken);
        });
  }

  @Override
  public ToolNameRule toolNames() {
    return TOOL_NAMES;
  }

  @Override
  public CallPairing callPairing() {
    return CallPairing.BEHIND_TURN;
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
