package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.CallPairing;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.anthropic.AnthropicReasoning;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import java.util.Set;

/**
 * Translates chat requests and replies between OpenAI's format and Amazon Bedrock's Converse API.
 * The target contains the model and whether it streams.
 */
final class BedrockChat implements ChatTranslation {
  private static final ToolNameRule TOOL_NAMES = new ToolNameRule(64, "_-", false);

  @Override
  public TranslatedRequest chat(JsonMembers chat, Route route, Model model) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          BedrockFamily family = BedrockFamily.of(route.upstreamModel());
          var cache = new BedrockCachePoints(family, route.upstreamModel(), dropped);
          new BedrockTurns(chat, family, () -> takesPrefill(chat, route, model), cache, dropped)
              .writeTo(out);
          boolean enforcesSchemas = family.enforcesSchemas(route, model);
          new BedrockTools(chat, family, enforcesSchemas, cache, dropped).writeTo(out);
          new BedrockParameters(chat, route, model, family, dropped).writeTo(out);
          LostMembers.addTo(
              dropped,
              chat,
              message ->
                  family.takesClaudesReasoning()
                      ? AnthropicReasoning.membersTaken(message)
                      : Set.of());
        });
  }

  @Override
  public ToolNameRule toolNames() {
    return TOOL_NAMES;
  }

  @Override
  public boolean takesPrefill(JsonMembers chat, Route route, Model model) {
    BedrockFamily family = BedrockFamily.of(route.upstreamModel());
    return new BedrockParameters(chat, route, model, family, new DroppedFields()).takesPrefill();
  }

  @Override
  public CallPairing callPairing() {
    return CallPairing.BEHIND_TURN;
  }

  @Override
  public SseSink stream(SseSink canonical) {
    return new BedrockStream(canonical);
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return BedrockReply.translated(body, length);
  }
}
