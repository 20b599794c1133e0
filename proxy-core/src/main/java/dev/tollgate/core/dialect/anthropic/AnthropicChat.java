package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.CallPairing;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/**
 * Translates chat requests and replies between OpenAI's format and Anthropic's Messages API, at
 * Anthropic and other hosts of its models.
 */
public final class AnthropicChat implements ChatTranslation {
  private static final ToolNameRule TOOL_NAMES = new ToolNameRule(128, "_-", false);

  private final Host host;

  /**
   * Host that serves Anthropic's models, which determines where the model's name and the API
   * version are sent.
   */
  public enum Host {
    /** Anthropic: the model is in the body, the API version in a field. */
    ANTHROPIC,
    /** Vertex AI: the model is in the target, the API version in the body. */
    VERTEX
  }

  public AnthropicChat(Host host) {
    this.host = host;
  }

  @Override
  public TranslatedRequest chat(JsonMembers chat, Route route, Model model) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          switch (host) {
            case ANTHROPIC -> out.name("model").string(route.upstreamModel());
            case VERTEX -> out.name("anthropic_version").string("vertex-2023-10-16");
          }
          new AnthropicParameters(chat, route, model, dropped).writeTo(out);
          new AnthropicTurns(chat, () -> takesPrefill(chat, route, model), dropped).writeTo(out);
          LostMembers.addTo(dropped, chat, AnthropicReasoning::membersTaken);
        });
  }

  @Override
  public ToolNameRule toolNames() {
    return TOOL_NAMES;
  }

  @Override
  public boolean takesPrefill(JsonMembers chat, Route route, Model model) {
    return new AnthropicParameters(chat, route, model, new DroppedFields()).takesPrefill();
  }

  @Override
  public CallPairing callPairing() {
    return CallPairing.BEHIND_TURN;
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
