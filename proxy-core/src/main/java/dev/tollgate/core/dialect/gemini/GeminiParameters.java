package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.ChatMembers;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.ResponseFormat;
import dev.tollgate.core.dialect.tool.SchemaReducer;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Locale;
import java.util.Optional;

/**
 * Writes the parameters of a chat request, all but the conversation and the tools, under Gemini's
 * names.
 */
final class GeminiParameters {
  private static final String JSON = "application/json";

  private final JsonMembers chat;
  private final Route route;
  private final Model model;
  private final DroppedFields dropped;
  private final long outputMax;

  GeminiParameters(JsonMembers chat, Route route, Model model, DroppedFields dropped) {
    this.chat = chat;
    this.route = route;
    this.model = model;
    this.dropped = dropped;
    this.outputMax = ChatMembers.outputTokensMax(chat, model, dropped);
  }

  void writeTo(JsonWriter out) {
    own("safety_settings", "safetySettings", JsonKind.ARRAY, out);
    cached(out);
    out.name("generationConfig").beginObject();
    if (outputMax > 0) {
      out.name("maxOutputTokens").number(outputMax);
    }
    sampling(out);
    stop(out);
    format(out);
    modalities(out);
    GeminiThinking.of(chat, route, model, outputMax, dropped).writeTo(out);
    out.endObject();
    for (int i = 0; i < chat.size(); i++) {
      rest(i);
    }
  }

  /** Copies a member of Gemini's own, under either spelling. */
  private void own(String name, String theirs, JsonKind kind, JsonWriter out) {
    int i = JsonReads.find(chat, name, kind);
    int own = i < 0 ? JsonReads.find(chat, theirs, kind) : i;
    if (own >= 0) {
      out.name(theirs).raw(JsonBytes.of(chat, own));
    }
  }

  private void sampling(JsonWriter out) {
    copy("temperature", "temperature", out);
    copy("top_p", "topP", out);
    int limit = JsonReads.find(chat, "top_k", JsonKind.NUMBER);
    if (limit >= 0 && chat.number(limit) >= 1) { // below 1, other servers take it as unlimited
      copy("top_k", "topK", out);
    }
    seed(out);
    penalty("presence_penalty", "presencePenalty", out);
    penalty("frequency_penalty", "frequencyPenalty", out);
  }

  private void copy(String name, String as, JsonWriter out) {
    int i = JsonReads.find(chat, name, JsonKind.NUMBER);
    if (i < 0) {
      return;
    }
    if (route.provider().quirks().sampling()) {
      out.name(as).raw(JsonBytes.normalized(chat, i));
    } else {
      dropped.add(name);
    }
  }

  private void seed(JsonWriter out) {
    int i = JsonReads.find(chat, "seed", JsonKind.NUMBER);
    if (i < 0) {
      return;
    }
    long seed = chat.integer(i, Long.MAX_VALUE);
    if (seed == (int) seed) {
      out.name("seed").number(seed);
    } else {
      dropped.add("seed"); // Gemini's seed has 32 bits
    }
  }

  private void penalty(String name, String as, JsonWriter out) {
    int i = JsonReads.find(chat, name, JsonKind.NUMBER);
    if (i < 0 || chat.number(i) == 0) {
      return;
    }
    if (GeminiVersion.takesPenalties(route.upstreamModel())) {
      copy(name, as, out);
    } else {
      dropped.add(name);
    }
  }

  private void stop(JsonWriter out) {
    int i = JsonReads.find(chat, "stop");
    if (i < 0) {
      return;
    }
    if (chat.kind(i) == JsonKind.STRING) {
      if (!chat.isEmptyString(i)) {
        out.name("stopSequences").beginArray().raw(JsonBytes.of(chat, i)).endArray();
      }
      return;
    }
    var all = new LazyArray("stopSequences", out);
    JsonElements texts = chat.array(i);
    for (int k = 0; k < texts.size(); k++) {
      if (!texts.isEmptyString(k)) {
        all.get().raw(JsonBytes.of(texts, k));
      }
    }
    all.end();
  }

  private void format(JsonWriter out) {
    ResponseFormat format = ResponseFormat.of(chat).orElse(null);
    if (format == null) {
      return;
    }
    if (GeminiTools.hasFunctions(chat)
        && !GeminiVersion.takesFormatBesideTools(route.upstreamModel())) {
      dropped.add("response_format"); // Gemini refuses both at once
    } else if (format.type().equals("json_object")) {
      out.name("responseMimeType").string(JSON);
    } else if (format.hasSchema() && model.mayHave("json_schema")) {
      out.name("responseMimeType").string(JSON);
      Optional<JsonBytes> schema = SchemaReducer.reduced(format, SchemaRules.GEMINI, dropped);
      schema.ifPresent(json -> out.name("responseJsonSchema").raw(json));
      if (schema.isEmpty()) {
        dropped.add("response_format.json_schema");
      }
    } else {
      dropped.add("response_format");
    }
  }

  private void modalities(JsonWriter out) {
    JsonElements kinds = JsonReads.array(chat, "modalities");
    if (kinds.size() == 0 || (kinds.size() == 1 && kinds.isString(0, "text"))) {
      return;
    }
    out.name("responseModalities").beginArray();
    for (int k = 0; k < kinds.size(); k++) {
      if (kinds.kind(k) == JsonKind.STRING) {
        out.string(kinds.string(k).toUpperCase(Locale.ROOT));
      }
    }
    out.endArray();
  }

  private boolean mayNameOwnFiles() {
    return route.provider().quirks().rights().ownFiles();
  }

  /** Copies the name of a cached beginning of chats, which belongs to the operator's account. */
  private void cached(JsonWriter out) {
    int i = JsonReads.findText(chat, "cached_content");
    if (i >= 0 && mayNameOwnFiles()) {
      out.name("cachedContent").raw(JsonBytes.of(chat, i));
    }
  }

  /** Drops members that are not handled elsewhere and have an effect. */
  private void rest(int i) {
    switch (chat.name(i)) {
      case "model",
          "messages",
          "stream",
          "stream_options",
          "routing",
          "provider",
          "n",
          "max_tokens",
          "max_completion_tokens",
          "thinking_config",
          "thinkingConfig",
          "reasoning",
          "reasoning_effort",
          "response_format",
          "temperature",
          "top_p",
          "top_k",
          "seed",
          "presence_penalty",
          "frequency_penalty",
          "stop",
          "modalities",
          "tools",
          "tool_choice",
          "parallel_tool_calls",
          "safety_settings",
          "safetySettings" -> {}
      case "cached_content" -> {
        if (!mayNameOwnFiles() && chat.kind(i) != JsonKind.NULL) {
          dropped.add("cached_content");
        }
      }
      default -> {
        if (AdaptedChat.hasEffect(chat, i, chat.name(i))) {
          dropped.add(chat.name(i));
        }
      }
    }
  }
}
