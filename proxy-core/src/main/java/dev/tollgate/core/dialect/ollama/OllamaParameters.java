package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.ChatMembers;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningOptions;
import dev.tollgate.core.dialect.ResponseFormat;
import dev.tollgate.core.dialect.ToolChoice;
import dev.tollgate.core.dialect.tool.ToolSchema;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;

/** Writes the parameters of a chat request, all but the conversation, under Ollama's names. */
final class OllamaParameters {
  /** Models with levels of effort; in all others, reasoning is on or off. */
  private static final String LEVELLED = "gpt-oss";

  private static final List<String> SAMPLING =
      List.of(
          "temperature",
          "top_p",
          "top_k",
          "min_p",
          "seed",
          "frequency_penalty",
          "presence_penalty",
          "repeat_penalty");

  private final JsonMembers chat;
  private final Route route;
  private final Model model;
  private final DroppedFields dropped;

  OllamaParameters(JsonMembers chat, Route route, Model model, DroppedFields dropped) {
    this.chat = chat;
    this.route = route;
    this.model = model;
    this.dropped = dropped;
  }

  void writeTo(JsonWriter out) {
    out.name("stream")
        .bool(JsonReads.find(chat, "stream", JsonKind.TRUE) >= 0); // its default is to stream
    format(out);
    thinking(out);
    tools(out);
    options(out);
    for (int i = 0; i < chat.size(); i++) {
      rest(i, out);
    }
  }

  private void format(JsonWriter out) {
    ResponseFormat.of(chat)
        .ifPresent(
            format ->
                out.name("format")
                    .raw(
                        format.hasSchema()
                            ? JsonBytes.of(format.definition(), format.schema())
                            : JsonBytes.string("json")));
  }

  private void thinking(JsonWriter out) {
    int own = JsonReads.find(chat, "think");
    if (own >= 0) {
      out.name("think").raw(JsonBytes.of(chat, own));
    } else {
      ReasoningOptions.of(chat).ifPresent(options -> thinking(options, out));
    }
  }

  /** Writes the reasoning option; a model without reasoning refuses it. */
  private void thinking(ReasoningOptions options, JsonWriter out) {
    if (options.isDisabled()) {
      out.name("think").bool(false);
    } else if (!model.mayHave("reasoning")) {
      dropped.add(options.param());
    } else {
      options.dropTokensUnless(0, dropped);
      thinkingOf(options, out);
    }
  }

  private void thinkingOf(ReasoningOptions options, JsonWriter out) {
    if (!options.effort().isEmpty() && route.upstreamModel().contains(LEVELLED)) {
      options.dropAboveHigh(dropped);
      out.name("think").string(level(options.effort()));
    } else {
      out.name("think").bool(true);
    }
  }

  private static String level(String effort) {
    return switch (effort) {
      case "minimal", "low" -> "low";
      case "medium" -> "medium";
      default -> "high";
    };
  }

  /** Writes the tools; Ollama has no tool choice, so tools can only be left out. */
  private void tools(JsonWriter out) {
    ToolChoice choice = ToolChoice.of(chat);
    switch (choice.mode()) {
      case UNSET, AUTO, NONE -> {}
      case REQUIRED, FUNCTION, OTHER -> dropped.add("tool_choice");
    }
    int i = JsonReads.find(chat, "tools", JsonKind.ARRAY);
    if (i < 0 || choice.mode() == ToolChoice.Mode.NONE) {
      return;
    }
    JsonElements tools = chat.array(i);
    int written = 0;
    for (int k = 0; k < tools.size(); k++) {
      int function = JsonReads.find(tools.object(k), "function", JsonKind.OBJECT);
      if (function < 0) {
        dropped.add("tools[" + k + "]"); // tools there take no free text
        continue;
      }
      if (!choice.offers(tools.object(k).object(function))) {
        continue;
      }
      if (written++ == 0) {
        out.name("tools").beginArray();
      }
      Param path = Param.of("tools").at(k).dot("function");
      tool(tools.object(k).object(function), path.dot("parameters"), out);
      if (JsonReads.find(tools.object(k).object(function), "strict", JsonKind.TRUE) >= 0) {
        dropped.add(path.dot("strict"));
      }
    }
    if (written > 0) {
      out.endArray();
    }
  }

  private void tool(JsonMembers function, Param path, JsonWriter out) {
    out.beginObject().name("type").string("function").name("function").beginObject();
    for (String name : new String[] {"name", "description"}) {
      int i = JsonReads.find(function, name);
      if (i >= 0) {
        out.name(name).raw(JsonBytes.of(function, i));
      }
    }
    int parameters = JsonReads.find(function, "parameters", JsonKind.OBJECT);
    if (parameters >= 0) {
      out.name("parameters");
      ToolSchema.writeOfObjects(function.object(parameters), path, dropped, out);
    }
    out.endObject().endObject();
  }

  // Ollama's options

  private void options(JsonWriter out) {
    JsonMembers given = JsonReads.object(chat, "options");
    out.name("options").beginObject();
    for (int i = 0; i < given.size(); i++) {
      out.name(given.name(i)).raw(JsonBytes.of(given, i));
    }
    for (String name : SAMPLING) {
      option(name, JsonReads.find(chat, name, JsonKind.NUMBER), given, out);
    }
    int newer = JsonReads.find(chat, "max_completion_tokens", JsonKind.NUMBER);
    int bound = newer < 0 ? JsonReads.find(chat, "max_tokens", JsonKind.NUMBER) : newer;
    option("num_predict", bound, given, out);
    int stop = JsonReads.find(chat, "stop");
    if (stop >= 0 && chat.kind(stop) == JsonKind.STRING && given.indexOf("stop") < 0) {
      out.name("stop").beginArray().raw(JsonBytes.of(chat, stop)).endArray();
    } else if (stop >= 0 && chat.kind(stop) == JsonKind.ARRAY) {
      option("stop", stop, given, out);
    }
    out.endObject();
  }

  /** Writes an option, unless the client sent it under Ollama's own name. */
  private void option(String name, int i, JsonMembers given, JsonWriter out) {
    if (i >= 0 && given.indexOf(name) < 0) {
      out.name(name).raw(JsonBytes.normalized(chat, i));
    }
  }

  private void rest(int i, JsonWriter out) {
    String name = chat.name(i);
    switch (name) {
      case "think", "reasoning", "options" -> {}
      case "keep_alive" -> {
        if (chat.kind(i) != JsonKind.NULL) {
          out.name(name).raw(JsonBytes.normalized(chat, i));
        }
      }
      default -> {
        boolean known = ChatMembers.isHandled(name) || SAMPLING.contains(name);
        if (!known && AdaptedChat.hasEffect(chat, i, name)) {
          dropped.add(name);
        }
      }
    }
  }
}
