package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;

/**
 * The member {@code refusal} of an assistant's message, which OpenAI's replies have in place of a
 * content. Other providers have no such member, so it becomes the last part of the content.
 */
public final class RefusalMember {
  private static final String NAME = "refusal";

  private RefusalMember() {}

  /** Adds the edits of a chat. */
  public static void edit(JsonMembers chat, JsonSplice edits) {
    int i = JsonReads.find(chat, "messages", JsonKind.ARRAY);
    if (i < 0) {
      return;
    }
    JsonElements messages = chat.array(i);
    JsonSplice inside = JsonSplice.of(messages);
    JsonMembers message = new JsonMembers();
    for (int k = 0; k < messages.size(); k++) {
      message.readInside(messages, k);
      if (isIn(message)) {
        JsonMembers kept = messages.object(k);
        JsonSplice edited = JsonSplice.of(kept);
        moveToContent(kept, edited.delete(kept.indexOf(NAME)));
        inside.replace(k, edited);
      }
    }
    if (!inside.isUnchanged()) {
      edits.replace(i, inside);
    }
  }

  /** True if the assistant refused in a message. */
  public static boolean isIn(JsonMembers message) {
    return JsonReads.isString(message, "role", "assistant")
        && JsonReads.findText(message, NAME) >= 0;
  }

  /** Adds the text of the refusal to the content of its message. */
  public static void moveToContent(JsonMembers message, JsonSplice edits) {
    int refusal = message.indexOf(NAME);
    String part = "{\"type\":\"text\",\"text\":" + message.text(refusal) + "}";
    int content = message.indexOf("content");
    if (content < 0) {
      edits.insertBefore(refusal, "content", JsonBytes.of(message, refusal));
    } else if (message.kind(content) == JsonKind.ARRAY) {
      JsonSplice parts = JsonSplice.of(message.array(content));
      edits.replace(content, parts.insertLast(JsonBytes.raw(part)));
    } else if (message.kind(content) == JsonKind.STRING && !message.isEmptyString(content)) {
      String first = "[{\"type\":\"text\",\"text\":" + message.text(content) + "},";
      edits.replace(content, JsonBytes.raw(first + part + "]"));
    } else {
      edits.replace(content, JsonBytes.of(message, refusal));
    }
  }
}
