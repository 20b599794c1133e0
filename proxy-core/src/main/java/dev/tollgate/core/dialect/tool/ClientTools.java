package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.RefusalMember;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/**
 * A chat whose tools have the form that a provider accepts: other names in place of those that it
 * refuses, and tools in place of OpenAI's older functions. The calls of the reply are brought back
 * to the client's form by its {@link CallRestoration}.
 */
public final class ClientTools {
  private final JsonMembers chat;
  private final OlderFunctions functions;
  private final CallRestoration restoration;

  private ClientTools(JsonMembers chat, OlderFunctions functions, ToolNames names) {
    this.chat = edited(chat, edits -> names.edit(chat, edits));
    this.functions = functions;
    this.restoration = new CallRestoration(names.clientNames(), functions.areConverted());
  }

  /** Returns a chat for a provider of OpenAI's format, which has the older functions too. */
  public static ClientTools named(JsonMembers chat, ToolNameRule rule) {
    return new ClientTools(chat, OlderFunctions.asTheyAre(chat), new ToolNames(rule));
  }

  /** Returns a chat for a provider that has only tools, and no member for refusals. */
  public static ClientTools converted(JsonMembers chat, ToolNameRule rule) {
    JsonMembers said = edited(chat, edits -> RefusalMember.edit(chat, edits));
    JsonMembers ofFunctions = edited(said, edits -> CustomCalls.edit(said, edits));
    var functions = OlderFunctions.toTools(ofFunctions);
    return new ClientTools(edited(ofFunctions, functions::edit), functions, new ToolNames(rule));
  }

  private static JsonMembers edited(JsonMembers chat, Consumer<JsonSplice> edit) {
    JsonSplice edits = JsonSplice.of(chat);
    edit.accept(edits);
    if (edits.isUnchanged()) {
      return chat;
    }
    byte[] json = new byte[edits.sizeBytes()];
    edits.writeTo(Unpooled.wrappedBuffer(json).clear());
    return JsonMembers.ofKept(json);
  }

  /** Returns the chat with such tools; the client's own if nothing had to change. */
  public JsonMembers chat() {
    return chat;
  }

  public CallRestoration restoration() {
    return restoration;
  }

  /** Translates the chat, and names what was dropped by the paths of the client's chat. */
  public TranslatedRequest translated(ChatTranslation translation, Route route, Model model) {
    TranslatedRequest request = translation.chat(chat, route, model);
    return new TranslatedRequest(request.body(), functions.pathsOfClient(request.dropped()));
  }
}
