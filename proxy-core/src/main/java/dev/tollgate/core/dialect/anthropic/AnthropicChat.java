package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/** Chats as Anthropic's Messages, here and at other hosts of its models. */
public final class AnthropicChat implements ChatTranslation {
  private final Host host;

  /** Who serves the models, and how it is told which one is meant. */
  public enum Host {
    /** In the body; the version of the API in a field. */
    ANTHROPIC,
    /** In the target; the version in the body. */
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
          new AnthropicTurns(chat, dropped).writeTo(out);
        });
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
