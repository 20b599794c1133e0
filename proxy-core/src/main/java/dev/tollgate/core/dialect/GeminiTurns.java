package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.json.Param;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A conversation as Gemini takes it: what the system says on its own, then turns of user and model.
 * Results of tools are a turn of their own in the order of their calls, since older models know
 * them by the function's name alone; neighbours of one role are one turn. One use.
 */
final class GeminiTurns {
  private static final JsonBytes NO_ARGUMENTS = JsonBytes.raw("{}");

  private final JsonElements messages;
  private final Dropped dropped;
  private final GeminiContent content;
  private final String model;
  private final int lastQuestion;
  private final Map<String, Call> made = new HashMap<>();
  private final int asked;
  private int places;
  private Turn open = Turn.NONE;

  /**
   * A call that a result may answer.
   *
   * @param place among all calls
   */
  private record Call(String function, int place) {}

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

  GeminiTurns(JsonMembers chat, String model, boolean ownFiles, Dropped dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.model = model;
    this.dropped = dropped;
    this.content = new GeminiContent(ownFiles, dropped);
    this.lastQuestion = lastQuestion(messages);
    this.asked = OnlySystem.last(messages);
  }

  private static int lastQuestion(JsonElements messages) {
    int last = -1;
    for (int k = 0; k < messages.size(); k++) {
      last = Given.is(messages.object(k), "role", "user") ? k : last;
    }
    return last;
  }

  void writeTo(JsonOut out) {
    system(out);
    out.name("contents").beginArray();
    int k = 0;
    while (k < messages.size()) {
      int end = resultsEnd(k);
      if (end > k) {
        results(k, end, turn(Turn.RESULTS, out));
        k = end;
      } else {
        message(k, messages.object(k), out);
        k++;
      }
    }
    close(out);
    out.endArray();
  }

  /** All that the system says, wherever it says it. */
  private void system(JsonOut out) {
    var begun = new boolean[1];
    Supplier<JsonOut> place =
        () -> {
          if (!begun[0]) {
            begun[0] = true;
            out.name("systemInstruction").beginObject().name("parts").beginArray();
          }
          return out;
        };
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      if (OnlySystem.is(message) && k != asked) {
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

  private void message(int k, JsonMembers message, JsonOut out) {
    switch (message.string(message.indexOf("role"))) {
      case "system", "developer" -> {
        if (k == asked) {
          content.write(message, path(k), () -> turn(Turn.USER, out));
        }
      }
      case "assistant" -> assistant(k, message, out);
      case "tool" -> {} // written with its neighbours
      default -> content.write(message, path(k), () -> turn(Turn.USER, out)); // user, function
    }
  }

  /** A turn, which is begun with its first part: an empty one would be refused. */
  private JsonOut turn(Turn turn, JsonOut out) {
    if (open != turn) {
      close(out);
      open = turn;
      out.beginObject().name("role").string(turn.role).name("parts").beginArray();
    }
    return out;
  }

  private void close(JsonOut out) {
    if (open != Turn.NONE) {
      out.endArray().endObject();
      open = Turn.NONE;
    }
  }

  private void assistant(int k, JsonMembers message, JsonOut out) {
    Supplier<JsonOut> place = () -> turn(Turn.MODEL, out);
    content.write(message, path(k), place);
    GeminiSignature.of(message)
        .ifPresent(
            signature -> {
              JsonOut part = place.get().beginObject().name("text").string("");
              part.name("thoughtSignature").raw(signature).endObject();
            });
    int calls = Given.at(message, "tool_calls", JsonKind.ARRAY);
    if (calls >= 0) {
      calls(k, message.array(calls), place);
    }
    if (Given.at(message, "function_call") >= 0) {
      dropped.add(path(k).dot("function_call"));
    }
  }

  private void calls(int k, JsonElements calls, Supplier<JsonOut> place) {
    for (int c = 0; c < calls.size(); c++) {
      JsonMembers call = calls.kind(c) == JsonKind.OBJECT ? calls.object(c) : null;
      int i = call == null ? -1 : Given.at(call, "function", JsonKind.OBJECT);
      JsonMembers function = call == null || i < 0 ? null : call.object(i);
      int name = function == null ? -1 : Given.text(function, "name");
      if (call == null || function == null || name < 0) {
        dropped.add(path(k).dot("tool_calls").at(c));
        continue;
      }
      int id = Given.text(call, "id");
      made.put(id < 0 ? "" : call.string(id), new Call(function.string(name), places++));
      JsonOut out = place.get().beginObject().name("functionCall").beginObject();
      if (id >= 0 && GeminiVersion.hasCallIds(model)) {
        out.name("id").raw(JsonBytes.of(call, id));
      }
      out.name("name").raw(JsonBytes.of(function, name)).name("args");
      arguments(function, out);
      out.endObject();
      signature(call, k, c).ifPresent(proof -> out.name("thoughtSignature").raw(proof));
      out.endObject();
    }
  }

  /** Newer models refuse the first call of a step of the turn in hand that has none. */
  private Optional<JsonBytes> signature(JsonMembers call, int message, int index) {
    boolean demanded =
        index == 0 && message > lastQuestion && GeminiVersion.demandsSignatures(model);
    return GeminiSignature.of(call)
        .or(() -> demanded ? Optional.of(GeminiSignature.OF_ANOTHER) : Optional.empty());
  }

  /** The arguments that are text here are an object there. */
  private static void arguments(JsonMembers function, JsonOut out) {
    int i = Given.at(function, "arguments", JsonKind.STRING);
    String text = i < 0 ? "" : function.string(i);
    if (text.isBlank()) {
      out.raw(NO_ARGUMENTS);
    } else {
      objectOr("arguments", text, out); // what a model wrote wrongly
    }
  }

  /** Where the tools' results that begin with this message end. */
  private int resultsEnd(int from) {
    int end = from;
    while (end < messages.size() && Given.is(messages.object(end), "role", "tool")) {
      end++;
    }
    return end;
  }

  /** Clients may give them in any order; those of no call come last. */
  private void results(int from, int end, JsonOut out) {
    IntStream.range(from, end)
        .boxed()
        .sorted(Comparator.comparingInt(k -> place(messages.object(k))))
        .forEachOrdered(k -> result(k, messages.object(k), out));
  }

  private int place(JsonMembers result) {
    Call call = made.get(callId(result));
    return call == null ? Integer.MAX_VALUE : call.place;
  }

  private static String callId(JsonMembers result) {
    int i = Given.text(result, "tool_call_id");
    return i < 0 ? "" : result.string(i);
  }

  private void result(int k, JsonMembers message, JsonOut out) {
    String text = content.textOf(message, path(k));
    String id = callId(message);
    Call call = made.get(id);
    out.beginObject().name("functionResponse").beginObject();
    if (call != null && !id.isEmpty() && GeminiVersion.hasCallIds(model)) {
      out.name("id").string(id);
    }
    out.name("name").string(call == null ? named(message, id) : call.function).name("response");
    if (Given.at(message, "is_error", JsonKind.TRUE) >= 0) {
      out.beginObject().name("error").string(text).endObject();
    } else {
      objectOr("output", text, out);
    }
    out.endObject().endObject();
  }

  /** The function of a result whose call nobody made. */
  private static String named(JsonMembers result, String id) {
    int name = Given.text(result, "name");
    return name < 0 ? id : result.string(name);
  }

  /** A text that is an object as that object, any other as a member of one. */
  private static void objectOr(String member, String text, JsonOut out) {
    byte[] json = text.getBytes(UTF_8);
    try {
      JsonMembers object = JsonMembers.of(json, 0, json.length);
      out.raw(JsonBytes.raw(json, object.objectStart(), object.objectEnd()));
    } catch (InvalidJson e) {
      out.beginObject().name(member).string(text).endObject();
    }
  }
}
