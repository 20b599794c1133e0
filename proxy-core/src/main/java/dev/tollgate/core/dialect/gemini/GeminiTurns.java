package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.CallArguments;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.ResultParts;
import dev.tollgate.core.dialect.SystemOnlyPrompt;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Writes a chat conversation in Gemini's form: system text apart, then turns of user and model.
 * Tool results are a turn of their own in the order of their calls, since older models match them
 * by the function's name alone; adjacent messages of one role are one turn. An instance is used
 * once.
 */
final class GeminiTurns {
  /** User text in place of messages that say nothing: an empty conversation is refused. */
  private static final String PLACEHOLDER_TEXT = "...";

  private final JsonElements messages;
  private final DroppedFields dropped;
  private final GeminiContent content;
  private final String model;
  private final int lastUserMessage;
  private final Map<String, PriorCall> callsById = new HashMap<>();
  private final int promotedIndex;
  private int callCount;
  private Turn openTurn = Turn.NONE;

  /**
   * Earlier tool call of the conversation that a tool result may answer.
   *
   * @param position index among all calls
   */
  private record PriorCall(String function, int position) {}

  private enum Turn {
    NONE(""),
    USER("user"),
    RESULTS("user"),
    MODEL("model");

    private final String role;

    Turn(String role) {
      this.role = role;
    }
  }

  GeminiTurns(JsonMembers chat, String model, boolean ownFiles, DroppedFields dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.model = model;
    this.dropped = dropped;
    this.content = new GeminiContent(ownFiles, dropped);
    this.lastUserMessage = lastUserMessage(messages);
    this.promotedIndex = SystemOnlyPrompt.promotedIndex(messages);
  }

  private static int lastUserMessage(JsonElements messages) {
    int last = -1;
    for (int k = 0; k < messages.size(); k++) {
      last = JsonReads.isString(messages.object(k), "role", "user") ? k : last;
    }
    return last;
  }

  void writeTo(JsonWriter out) {
    system(out);
    out.name("contents").beginArray();
    int k = 0;
    while (k < messages.size()) {
      if (isResult(k)) {
        int end = resultsEnd(k);
        results(k, end, out);
        k = end;
      } else {
        message(k, messages.object(k), out);
        k++;
      }
    }
    if (openTurn == Turn.NONE || (openTurn == Turn.MODEL && !endsWithAssistant())) {
      turn(Turn.USER, out).beginObject().name("text").string(PLACEHOLDER_TEXT).endObject();
    }
    close(out);
    out.endArray();
  }

  private boolean endsWithAssistant() {
    return JsonReads.isString(messages.object(messages.size() - 1), "role", "assistant");
  }

  /** Writes all system messages, wherever they are. */
  private void system(JsonWriter out) {
    var begun = new boolean[1];
    Supplier<JsonWriter> place =
        () -> {
          if (!begun[0]) {
            begun[0] = true;
            out.name("systemInstruction").beginObject().name("parts").beginArray();
          }
          return out;
        };
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      if (SystemOnlyPrompt.isSystem(message) && k != promotedIndex) {
        content.writeText(message, path(k), place);
      }
    }
    if (begun[0]) {
      out.endArray().endObject();
    }
  }

  private static Param path(int k) {
    return Param.of("messages").at(k);
  }

  private void message(int k, JsonMembers message, JsonWriter out) {
    switch (message.string(message.indexOf("role"))) {
      case "system", "developer" -> {
        if (k == promotedIndex) {
          content.write(message, path(k), () -> turn(Turn.USER, out));
        }
      }
      case "assistant" -> assistant(k, message, out);
      default -> user(k, message, out);
    }
  }

  /** Writes a user's message; the last one begins the current turn, whatever is left of it. */
  private void user(int k, JsonMembers message, JsonWriter out) {
    var said = new boolean[1];
    content.write(
        message,
        path(k),
        () -> {
          said[0] = true;
          return turn(Turn.USER, out);
        });
    if (!said[0] && k == lastUserMessage && openTurn != Turn.USER) {
      turn(Turn.USER, out).beginObject().name("text").string(PLACEHOLDER_TEXT).endObject();
    }
  }

  /** Opens a turn with its first part: an empty turn would be refused. */
  private JsonWriter turn(Turn turn, JsonWriter out) {
    if (openTurn == Turn.NONE && turn == Turn.MODEL) { // a call may not come first
      turn(Turn.USER, out).beginObject().name("text").string(PLACEHOLDER_TEXT).endObject();
    }
    if (openTurn != turn) {
      close(out);
      openTurn = turn;
      out.beginObject().name("role").string(turn.role).name("parts").beginArray();
    }
    return out;
  }

  private void close(JsonWriter out) {
    if (openTurn != Turn.NONE) {
      out.endArray().endObject();
      openTurn = Turn.NONE;
    }
  }

  private void assistant(int k, JsonMembers message, JsonWriter out) {
    Supplier<JsonWriter> place = () -> turn(Turn.MODEL, out);
    content.write(message, path(k), place);
    content.writeImages(message, path(k), place);
    GeminiSignature.of(message)
        .ifPresent(
            signature -> {
              JsonWriter part = place.get().beginObject().name("text").string("");
              part.name("thoughtSignature").raw(signature).endObject();
            });
    calls(k, JsonReads.array(message, "tool_calls"), place);
    if (JsonReads.find(message, "function_call") >= 0) {
      dropped.add(path(k).dot("function_call"));
    }
  }

  private void calls(int k, JsonElements calls, Supplier<JsonWriter> place) {
    for (int c = 0; c < calls.size(); c++) {
      JsonMembers call = JsonReads.object(calls, c);
      JsonMembers function = JsonReads.object(call, "function");
      int name = JsonReads.findText(function, "name");
      if (name < 0) {
        dropped.add(path(k).dot("tool_calls").at(c));
        continue;
      }
      int id = JsonReads.findText(call, "id");
      callsById.put(
          id < 0 ? "" : call.string(id), new PriorCall(function.string(name), callCount++));
      JsonWriter out = place.get().beginObject().name("functionCall").beginObject();
      if (id >= 0 && GeminiVersion.hasCallIds(model)) {
        out.name("id").raw(JsonBytes.of(call, id));
      }
      out.name("name").raw(JsonBytes.of(function, name)).name("args");
      CallArguments.write(function, out);
      out.endObject();
      signature(call, k, c).ifPresent(proof -> out.name("thoughtSignature").raw(proof));
      out.endObject();
    }
  }

  /**
   * Returns the signature of a call. Newer models refuse the first call of a step of the current
   * turn without one.
   */
  private Optional<JsonBytes> signature(JsonMembers call, int message, int index) {
    boolean demanded =
        index == 0 && message > lastUserMessage && GeminiVersion.demandsSignatures(model);
    return GeminiSignature.of(call)
        .or(() -> demanded ? Optional.of(GeminiSignature.SKIP_VALIDATION) : Optional.empty());
  }

  private boolean isResult(int k) {
    return ResultParts.isResult(messages.object(k));
  }

  /** Returns the end of the tool results that begin here, and of instructions among them. */
  private int resultsEnd(int from) {
    int end = from;
    while (end < messages.size() && ResultParts.isAmongResults(messages.object(end))) {
      end++;
    }
    return end;
  }

  /**
   * Writes results in the order of their calls, since clients may send them in any order; those of
   * unknown calls come last. Media that are not inside of a result follow: of one result in the
   * same turn, of several in a turn of their own, because older models count the parts of a turn.
   */
  private void results(int from, int end, JsonWriter out) {
    List<ResultParts.Part> beside = new ArrayList<>(0);
    List<Integer> results =
        IntStream.range(from, end)
            .filter(this::isResult)
            .boxed()
            .sorted(Comparator.comparingInt(k -> position(messages.object(k))))
            .toList();
    for (int k : results) {
      result(k, messages.object(k), beside, turn(Turn.RESULTS, out));
    }
    Turn turn = results.size() == 1 ? Turn.RESULTS : Turn.USER;
    content.write(beside, () -> turn(turn, out));
  }

  private int position(JsonMembers result) {
    PriorCall call = callsById.get(callId(result));
    return call == null ? Integer.MAX_VALUE : call.position;
  }

  private static String callId(JsonMembers result) {
    int i = JsonReads.findText(result, "tool_call_id");
    return i < 0 ? "" : result.string(i);
  }

  /** Writes a result, and adds the media that it does not hold to those beside it. */
  private void result(int k, JsonMembers message, List<ResultParts.Part> beside, JsonWriter out) {
    int whole = JsonReads.find(message, "content", JsonKind.STRING);
    var parts = ResultParts.of(message, path(k), ResultParts.TEXTS);
    String text = whole < 0 ? GeminiContent.textOf(parts.inside()) : message.string(whole);
    List<ResultParts.Part> inside = new ArrayList<>(0);
    for (ResultParts.Part part : parts.beside()) {
      boolean isInside =
          GeminiVersion.takesMediaInResults(model) && GeminiContent.isOfResult(part.members());
      (isInside ? inside : beside).add(part);
    }
    result(message, text, inside, out);
  }

  private void result(
      JsonMembers message, String text, List<ResultParts.Part> media, JsonWriter out) {
    String id = callId(message);
    PriorCall call = callsById.get(id);
    out.beginObject().name("functionResponse").beginObject();
    if (call != null && !id.isEmpty() && GeminiVersion.hasCallIds(model)) {
      out.name("id").string(id);
    }
    out.name("name")
        .string(call == null ? functionName(message, id) : call.function)
        .name("response");
    if (JsonReads.find(message, "is_error", JsonKind.TRUE) >= 0) {
      out.beginObject().name("error").string(text).endObject();
    } else {
      CallArguments.writeObject(text, "output", out);
    }
    var parts = new LazyArray("parts", out);
    content.write(media, parts);
    parts.end();
    out.endObject().endObject();
  }

  /** Returns the function of a result without a known call. */
  private static String functionName(JsonMembers result, String id) {
    int name = JsonReads.findText(result, "name");
    return name < 0 ? id : result.string(name);
  }
}
