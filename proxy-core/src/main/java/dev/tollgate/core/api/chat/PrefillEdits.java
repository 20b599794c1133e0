package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.DeliveredContent;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Edits of a chat request that make its provider continue a begun answer. An assistant message is
 * appended, and the output bounds shrink by the tokens already delivered.
 */
final class PrefillEdits {
  private static final List<String> OUTPUT_BOUNDS = List.of("max_tokens", "max_completion_tokens");

  private PrefillEdits() {}

  static void apply(JsonSplice edits, JsonMembers root, DeliveredContent delivered, Prefill style) {
    int messages = root.indexOf("messages");
    edits.replace(
        messages, JsonSplice.of(root.array(messages)).insertLast(message(delivered, style)));
    for (String name : OUTPUT_BOUNDS) {
      int i = root.indexOf(name);
      if (i >= 0 && root.kind(i) == JsonKind.NUMBER) {
        long left = Math.max(1, root.integer(i, 1) - delivered.tokens());
        edits.replace(i, JsonBytes.number(left));
      }
    }
    switch (style) {
      case NONE, MESSAGE, PREFIX -> {}
      case CONTINUE_FINAL_MESSAGE -> {
        put(edits, root, "continue_final_message", JsonBytes.TRUE);
        put(edits, root, "add_generation_prompt", JsonBytes.FALSE);
      }
    }
  }

  private static JsonBytes message(DeliveredContent delivered, Prefill style) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("role", "assistant");
    message.put("content", delivered.assistantText());
    switch (style) {
      case NONE, MESSAGE, CONTINUE_FINAL_MESSAGE -> {}
      case PREFIX -> message.put("prefix", true);
    }
    return JsonBytes.value(message);
  }

  private static void put(JsonSplice edits, JsonMembers root, String name, JsonBytes value) {
    int i = root.indexOf(name);
    if (i < 0) {
      edits.insertLast(name, value);
    } else {
      edits.replace(i, value);
    }
  }
}
