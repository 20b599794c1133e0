package dev.tollgate.core.dialect.cohere;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedStream;
import dev.tollgate.core.dialect.UsageAccumulator;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import java.util.Arrays;

/**
 * Translates the events of one Cohere chat stream to canonical chat completion chunks. Texts and
 * arguments are copied as they are encoded. Not thread safe: one stream on one loop.
 */
final class CohereStream extends TranslatedStream {
  private static final byte[] DONE = "[DONE]".getBytes(US_ASCII);

  private final JsonMembers delta = new JsonMembers();
  private final JsonMembers message = new JsonMembers();
  private final JsonMembers inside = new JsonMembers();
  private final JsonMembers function = new JsonMembers();
  private int calls;
  private boolean argumentsSent;

  CohereStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  protected void translate(String name, byte[] data, int from, int to) {
    int type = JsonReads.findText(root, "type");
    if (type >= 0) {
      typed(root.string(type), data, from, to);
    } else if (JsonReads.findText(root, "message") >= 0) {
      error(data, from, to);
    } else {
      chunks.unreadable();
    }
  }

  @Override
  protected boolean isDone(byte[] data, int from, int to) {
    return to - from >= DONE.length
        && Arrays.equals(data, from, from + DONE.length, DONE, 0, DONE.length);
  }

  private void typed(String type, byte[] data, int from, int to) {
    switch (type) {
      case "message-start" -> start();
      case "content-start", "content-delta" -> content();
      case "tool-plan-delta" -> plan();
      case "tool-call-start" -> call();
      case "tool-call-delta" -> sendArguments();
      case "tool-call-end" -> endCall();
      case "message-end" -> end(data, from, to);
      default -> {
        // The end of a text, its sources, or an unknown event.
      }
    }
  }

  /** Reads the event's message; false means it has none. */
  private boolean hasMessage() {
    int i = JsonReads.find(root, "delta", JsonKind.OBJECT);
    if (i >= 0) {
      delta.readInside(root, i);
      int k = JsonReads.find(delta, "message", JsonKind.OBJECT);
      if (k >= 0) {
        message.readInside(delta, k);
        return true;
      }
    }
    chunks.unreadable();
    return false;
  }

  /** Reads an object of the message; false means it has none. */
  private boolean hasInside(String member) {
    int i = hasMessage() ? JsonReads.find(message, member) : -1;
    if (i < 0) {
      return false;
    }
    boolean readable = message.kind(i) == JsonKind.OBJECT;
    if (readable) {
      inside.readInside(message, i);
    } else {
      chunks.unreadable();
    }
    return readable;
  }

  private void start() {
    int id = JsonReads.findText(root, "id");
    chunks.identify(id < 0 ? NO_TEXT : JsonBytes.of(root, id), NO_TEXT);
    chunks.sendRole();
  }

  private void content() {
    if (hasInside("content")) {
      chunks.sendText(inside, "text", "content");
      chunks.sendText(inside, "thinking", ReasoningText.MEMBER);
    }
  }

  /** Sends the plan of tool use, as reasoning. */
  private void plan() {
    if (hasMessage()) {
      chunks.sendText(message, "tool_plan", ReasoningText.MEMBER);
    }
  }

  // Tool calls

  private void call() {
    int i = hasInside("tool_calls") ? JsonReads.find(inside, "function", JsonKind.OBJECT) : -1;
    int id = i < 0 ? -1 : JsonReads.findText(inside, "id");
    if (i < 0 || id < 0) {
      chunks.unreadable();
      return;
    }
    function.readInside(inside, i);
    int name = JsonReads.findText(function, "name");
    int arguments = JsonReads.findText(function, "arguments");
    calls++;
    argumentsSent = arguments >= 0;
    chunks.sendCall(
        calls - 1,
        JsonBytes.of(inside, id),
        name < 0 ? NO_TEXT : JsonBytes.of(function, name),
        argumentsSent ? JsonBytes.of(function, arguments) : NO_TEXT);
  }

  private void sendArguments() {
    int i = hasInside("tool_calls") ? JsonReads.find(inside, "function", JsonKind.OBJECT) : -1;
    if (i >= 0) {
      function.readInside(inside, i);
      int arguments = chunks.text(function, "arguments");
      if (arguments >= 0) {
        sendArguments(JsonBytes.of(function, arguments));
      }
    }
  }

  private void sendArguments(JsonBytes arguments) {
    argumentsSent = true;
    chunks.sendArguments(Math.max(0, calls - 1), arguments);
  }

  /** Ends a call; a call without arguments gets an empty object. */
  private void endCall() {
    if (calls > 0 && !argumentsSent) {
      sendArguments(NO_ARGUMENTS);
    }
  }

  // The end

  private void end(byte[] data, int from, int to) {
    int i = JsonReads.find(root, "delta", JsonKind.OBJECT);
    if (i < 0) {
      chunks.unreadable();
      return;
    }
    delta.readInside(root, i);
    int given = JsonReads.findText(delta, "finish_reason");
    String reason = given < 0 ? "" : delta.string(given);
    if (CohereFinish.isFailure(reason)) {
      error(data, from, to);
      return;
    }
    var usage = new UsageAccumulator(CohereUsage.FORMAT);
    int counts = JsonReads.find(delta, "usage", JsonKind.OBJECT);
    if (counts >= 0) {
      usage.add(delta, counts);
    }
    chunks.finish(chunks.begin(), CohereFinish.canonical(reason), reason, usage);
  }
}
