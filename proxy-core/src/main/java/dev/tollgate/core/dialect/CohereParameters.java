package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;

/** Everything of a chat beside the conversation, as Cohere names it. */
final class CohereParameters {
  private static final int STOPS_MAX = 5;

  private final JsonMembers chat;
  private final Model model;
  private final Dropped dropped;

  CohereParameters(JsonMembers chat, Model model, Dropped dropped) {
    this.chat = chat;
    this.model = model;
    this.dropped = dropped;
  }

  void writeTo(JsonOut out) {
    out.name("stream").bool(Given.at(chat, "stream", JsonKind.TRUE) >= 0);
    outputMax(out);
    stop(out);
    format(out);
    thinking(out);
    tools(out);
    for (int i = 0; i < chat.size(); i++) {
      rest(i, out);
    }
  }

  private void outputMax(JsonOut out) {
    int newer = Given.at(chat, "max_completion_tokens", JsonKind.NUMBER);
    int i = newer < 0 ? Given.at(chat, "max_tokens", JsonKind.NUMBER) : newer;
    if (i >= 0) {
      out.name("max_tokens").raw(JsonBytes.of(chat, i));
    }
  }

  private void stop(JsonOut out) {
    int i = Given.at(chat, "stop");
    if (i < 0) {
      return;
    }
    out.name("stop_sequences").beginArray();
    if (chat.kind(i) == JsonKind.STRING) {
      out.raw(JsonBytes.of(chat, i));
    } else {
      JsonElements all = chat.array(i);
      for (int k = 0; k < Math.min(all.size(), STOPS_MAX); k++) {
        out.raw(JsonBytes.of(all, k));
      }
    }
    out.endArray();
  }

  private void format(JsonOut out) {
    int i = Given.at(chat, "response_format", JsonKind.OBJECT);
    JsonMembers format = i < 0 ? null : chat.object(i);
    if (format == null || Given.is(format, "type", "text")) {
      return;
    }
    out.name("response_format").beginObject().name("type").string("json_object");
    int named = Given.at(format, "json_schema", JsonKind.OBJECT);
    JsonMembers definition = named < 0 ? null : format.object(named);
    int schema = definition == null ? -1 : Given.at(definition, "schema", JsonKind.OBJECT);
    if (definition != null && schema >= 0) {
      out.name("json_schema").raw(JsonBytes.of(definition, schema));
    }
    out.endObject();
  }

  private void thinking(JsonOut out) {
    int own = Given.at(chat, "thinking", JsonKind.OBJECT);
    int effort = Given.at(chat, "reasoning_effort", JsonKind.STRING);
    if (own >= 0) {
      out.name("thinking").raw(JsonBytes.of(chat, own));
    } else if (effort >= 0 && mayThink()) {
      boolean none = chat.isString(effort, "none");
      out.name("thinking").beginObject().name("type").string(none ? "disabled" : "enabled");
      out.endObject();
    } else if (effort >= 0) {
      dropped.add("reasoning_effort");
    }
  }

  private boolean mayThink() {
    return model.capabilities().isEmpty() || model.capabilities().contains("reasoning");
  }

  // Tools

  private void tools(JsonOut out) {
    int i = Given.at(chat, "tools", JsonKind.ARRAY);
    JsonElements tools = i < 0 ? null : chat.array(i);
    if (tools == null || tools.size() == 0) {
      return;
    }
    boolean strict = false;
    out.name("tools").beginArray();
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = tools.object(k);
      int function = Given.at(tool, "function", JsonKind.OBJECT);
      if (function < 0) {
        dropped.add("tools[" + k + "]"); // free text is nothing that a tool there takes
      } else {
        strict |= tool(tool.object(function), out);
      }
    }
    out.endArray();
    if (strict) {
      out.name("strict_tools").bool(true);
    }
    choice(out);
  }

  private static boolean tool(JsonMembers function, JsonOut out) {
    out.beginObject().name("type").string("function").name("function").beginObject();
    for (String name : new String[] {"name", "description", "parameters"}) {
      int i = Given.at(function, name);
      if (i >= 0) {
        out.name(name).raw(JsonBytes.of(function, i));
      }
    }
    out.endObject().endObject();
    return Given.at(function, "strict", JsonKind.TRUE) >= 0;
  }

  /** Without a word Cohere chooses itself; a certain tool cannot be demanded, only any. */
  private void choice(JsonOut out) {
    int i = Given.at(chat, "tool_choice");
    if (i < 0 || chat.isString(i, "auto")) {
      return;
    }
    if (chat.kind(i) == JsonKind.OBJECT) {
      dropped.add("tool_choice");
    }
    out.name("tool_choice").string(chat.isString(i, "none") ? "NONE" : "REQUIRED");
  }

  // All others

  private void rest(int i, JsonOut out) {
    String name = chat.name(i);
    switch (name) {
      case "thinking" -> {}
      case "top_p" -> copy(i, "p", out);
      case "top_k" -> copy(i, "k", out);
      case "temperature",
          "seed",
          "frequency_penalty",
          "presence_penalty",
          "logprobs",
          "documents",
          "citation_options",
          "safety_mode",
          "priority" ->
          copy(i, name, out);
      default -> {
        if (!ChatMembers.isSeenTo(name) && AdaptedChat.says(chat, i, name)) {
          dropped.add(name);
        }
      }
    }
  }

  private void copy(int i, String name, JsonOut out) {
    if (chat.kind(i) != JsonKind.NULL) {
      out.name(name).raw(JsonBytes.of(chat, i));
    }
  }
}
