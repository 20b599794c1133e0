package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseSink;

/** Chats as Fable takes them: turns of text, and how fanciful the answer may be. */
final class FableChat implements ChatTranslation {
  @Override
  public TranslatedRequest chat(JsonMembers chat, Route route, Model model) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          out.name("teller").string(route.upstreamModel()).name("turns").beginArray();
          JsonElements messages = chat.array(chat.indexOf("messages"));
          for (int k = 0; k < messages.size(); k++) {
            turn(messages.object(k), Param.of("messages").at(k), out, dropped);
          }
          out.endArray().name("flow").bool(JsonReads.find(chat, "stream", JsonKind.TRUE) >= 0);
          for (int i = 0; i < chat.size(); i++) {
            rest(chat, i, out, dropped);
          }
        });
  }

  private static void turn(JsonMembers message, Param path, JsonWriter out, DroppedFields dropped) {
    int text = JsonReads.findText(message, "content");
    if (text < 0) {
      dropped.add(path); // parts and calls are nothing that is reported
      return;
    }
    out.beginObject().name("who").raw(JsonBytes.of(message, message.indexOf("role")));
    out.name("says").raw(JsonBytes.of(message, text)).endObject();
  }

  private static void rest(JsonMembers chat, int i, JsonWriter out, DroppedFields dropped) {
    String name = chat.name(i);
    if (name.equals("temperature")) {
      out.name("fancy").raw(JsonBytes.of(chat, i));
    } else if (!ChatMembers.isHandled(name) && AdaptedChat.hasEffect(chat, i, name)) {
      dropped.add(name);
    }
  }

  @Override
  public SseSink stream(SseSink canonical) {
    return new FableStream(canonical);
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          int said = JsonReads.find(root, "says", JsonKind.STRING);
          if (said >= 0) {
            out.beginObject().name("object").string("chat.completion");
            CanonicalReply.beginMessage(out);
            out.name("content").raw(JsonBytes.of(root, said)).endObject();
            out.name("finish_reason").string("stop").endObject().endArray();
            usage(root).writeTo(out);
            out.endObject();
          }
        });
  }

  static ReportedUsage usage(JsonMembers root) {
    int i = JsonReads.find(root, "counted", JsonKind.OBJECT);
    JsonMembers reported = i < 0 ? new JsonMembers() : root.object(i);
    var counts = new UsageCounts(reported);
    Usage usage = Usage.ofTokens(counts.required("heard"), counts.required("told"));
    return out -> {
      if (counts.isSound()) {
        CanonicalUsage.write(usage, reported, out.name("usage"));
      }
    };
  }
}
