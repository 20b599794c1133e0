package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.ChatMembers;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningOptions;
import dev.tollgate.core.dialect.ResponseFormat;
import dev.tollgate.core.dialect.ToolChoice;
import dev.tollgate.core.dialect.tool.SchemaReducer;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Optional;

/** Writes the parameters of a chat request, all but the conversation, under Cohere's names. */
final class CohereParameters {
  private static final int STOPS_MAX = 5;

  private final JsonMembers chat;
  private final Model model;
  private final DroppedFields dropped;

  CohereParameters(JsonMembers chat, Model model, DroppedFields dropped) {
    this.chat = chat;
    this.model = model;
    this.dropped = dropped;
  }

  void writeTo(JsonWriter out) {
    out.name("stream").bool(JsonReads.find(chat, "stream", JsonKind.TRUE) >= 0);
    outputMax(out);
    sampling(out);
    stop(out);
    format(out);
    thinking(out);
    tools(out);
    for (int i = 0; i < chat.size(); i++) {
      rest(i, out);
    }
  }

  private void outputMax(JsonWriter out) {
    int newer = JsonReads.find(chat, "max_completion_tokens", JsonKind.NUMBER);
    int i = newer < 0 ? JsonReads.find(chat, "max_tokens", JsonKind.NUMBER) : newer;
    if (i >= 0) {
      out.name("max_tokens").raw(JsonBytes.normalized(chat, i));
    }
  }

  // Cohere refuses values out of its bounds, which are narrower than OpenAI's.

  private void sampling(JsonWriter out) {
    clamped("temperature", "temperature", "0", "1", out);
    int share = JsonReads.find(chat, "top_p", JsonKind.NUMBER);
    if (share >= 0 && chat.number(share) < 1) { // 1 is Cohere's default
      clamped("top_p", "p", "0.01", "0.99", out);
    }
    int most = JsonReads.find(chat, "top_k", JsonKind.NUMBER);
    if (most >= 0 && chat.number(most) >= 0) { // below 0, other servers take it as unlimited
      out.name("k").raw(clamped(most, JsonBytes.normalized(chat, most), "0", "500"));
    }
    int seed = JsonReads.find(chat, "seed", JsonKind.NUMBER);
    if (seed >= 0 && chat.number(seed) >= 0) {
      out.name("seed").raw(JsonBytes.normalized(chat, seed));
    } else if (seed >= 0) {
      dropped.add("seed");
    }
    penalty("frequency_penalty", out);
    penalty("presence_penalty", out);
  }

  private void penalty(String name, JsonWriter out) {
    int i = JsonReads.find(chat, name, JsonKind.NUMBER);
    if (i >= 0 && chat.number(i) < 0) {
      dropped.add(name); // Cohere has no negative penalties
    } else {
      clamped(name, name, "0", "1", out);
    }
  }

  private void clamped(String name, String as, String least, String most, JsonWriter out) {
    int i = JsonReads.find(chat, name, JsonKind.NUMBER);
    if (i < 0) {
      return;
    }
    out.name(as).raw(clamped(i, JsonBytes.of(chat, i), least, most));
  }

  /** Returns a value within bounds; one beyond them is named. */
  private JsonBytes clamped(int i, JsonBytes written, String least, String most) {
    double given = chat.number(i);
    boolean isLess = given < Double.parseDouble(least);
    if (!isLess && given <= Double.parseDouble(most)) {
      return written;
    }
    dropped.add(chat.name(i));
    return JsonBytes.raw(isLess ? least : most);
  }

  private void stop(JsonWriter out) {
    int i = JsonReads.find(chat, "stop");
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
      if (all.size() > STOPS_MAX) {
        dropped.add("stop");
      }
    }
    out.endArray();
  }

  private void format(JsonWriter out) {
    ResponseFormat format = ResponseFormat.of(chat).orElse(null);
    if (format == null) {
      return;
    }
    if (hasElements("tools") || hasElements("documents")) {
      dropped.add("response_format"); // Cohere does not support both at once
      return;
    }
    out.name("response_format").beginObject().name("type").string("json_object");
    if (format.hasSchema()) {
      Optional<JsonBytes> schema = SchemaReducer.reduced(format, SchemaRules.COHERE, dropped);
      schema.ifPresent(json -> out.name("json_schema").raw(json));
      if (schema.isEmpty()) {
        dropped.add("response_format.json_schema");
      }
    }
    out.endObject();
  }

  private boolean hasElements(String name) {
    return JsonReads.array(chat, name).size() > 0;
  }

  private void thinking(JsonWriter out) {
    int own = JsonReads.find(chat, "thinking", JsonKind.OBJECT);
    if (own >= 0) {
      out.name("thinking").raw(JsonBytes.of(chat, own));
    } else {
      ReasoningOptions.of(chat).ifPresent(options -> thinking(options, out));
    }
  }

  private void thinking(ReasoningOptions options, JsonWriter out) {
    if (model.mayHave("reasoning")) {
      out.name("thinking").beginObject().name("type");
      out.string(options.isDisabled() ? "disabled" : "enabled");
      if (options.tokens() > 0) {
        out.name("token_budget").number(options.tokens());
      }
      out.endObject();
    } else if (!options.isDisabled()) {
      dropped.add(options.param());
    }
  }

  // Tools

  private void tools(JsonWriter out) {
    ToolChoice choice = ToolChoice.of(chat);
    if (new CohereTools(chat, choice, dropped).writeTo(out)) {
      choice(choice, out);
    }
  }

  /** Writes the tool choice: Cohere can require any tool, but not a certain one. */
  private void choice(ToolChoice choice, JsonWriter out) {
    switch (choice.mode()) {
      case UNSET, AUTO -> {}
      case NONE -> out.name("tool_choice").string("NONE");
      case REQUIRED -> out.name("tool_choice").string("REQUIRED");
      case FUNCTION -> {
        dropped.add("tool_choice");
        out.name("tool_choice").string("REQUIRED");
      }
      case OTHER -> dropped.add("tool_choice");
    }
  }

  // All others

  private void rest(int i, JsonWriter out) {
    String name = chat.name(i);
    switch (name) {
      case "thinking",
          "reasoning",
          "temperature",
          "top_p",
          "top_k",
          "seed",
          "frequency_penalty",
          "presence_penalty" -> {}
      case "documents", "citation_options", "safety_mode", "priority" -> copy(i, name, out);
      default -> {
        if (!ChatMembers.isHandled(name) && AdaptedChat.hasEffect(chat, i, name)) {
          dropped.add(name);
        }
      }
    }
  }

  private void copy(int i, String name, JsonWriter out) {
    if (chat.kind(i) != JsonKind.NULL) {
      out.name(name).raw(JsonBytes.normalized(chat, i));
    }
  }
}
