package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.sse.SseSink;

/**
 * Turns the events of one ConverseStream into canonical chunks; texts and arguments are copied as
 * they are written. Blocks come one after the other. Not thread safe: one stream on one loop.
 */
final class BedrockStream extends TranslatedStream {
  private final UsageTally usage = new UsageTally(UsageTerms.BEDROCK);
  private final JsonMembers delta = new JsonMembers();
  private final JsonMembers inside = new JsonMembers();
  private int calls;
  private boolean calling;
  private boolean argued;
  private int thoughts;
  private boolean thinking;

  BedrockStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  void take(String name, byte[] data, int from, int to) {
    switch (name) {
      case "contentBlockDelta" -> delta();
      case "contentBlockStart" -> start();
      case "contentBlockStop" -> stop();
      case "messageStart" ->
          chunks.send(chunks.begin().name("role").string("assistant").name("content").raw(NO_TEXT));
      case "messageStop" -> finish();
      case "metadata" -> end();
      default -> {
        // A kind that is still to come.
      }
    }
  }

  private boolean reads(JsonMembers from, String member, JsonMembers into) {
    int i = Given.at(from, member, JsonKind.OBJECT);
    if (i >= 0) {
      into.readInside(from, i);
    }
    return i >= 0;
  }

  private void delta() {
    if (!reads(root, "delta", delta)) {
      chunks.unreadable();
      return;
    }
    if (Given.at(delta, "text", JsonKind.STRING) >= 0) {
      say(delta, "content");
    } else if (reads(delta, "toolUse", inside)) {
      int input = Given.text(inside, "input");
      if (input >= 0) {
        argue(JsonBytes.of(inside, input));
      }
    } else if (reads(delta, "reasoningContent", inside)) {
      think();
    }
    // Citations say where a text is from; the text itself comes beside them.
  }

  private void say(JsonMembers from, String as) {
    int text = Given.text(from, "text");
    if (text >= 0) {
      chunks.send(chunks.begin().name(as).raw(JsonBytes.of(from, text)));
    }
  }

  // Thoughts: as text, and once more in the form in which a client can hand them back

  private void think() {
    thoughts += thinking ? 0 : 1;
    thinking = true;
    int text = Given.text(inside, "text");
    int signature = Given.text(inside, "signature");
    int hidden = Given.text(inside, "redactedContent");
    if (text >= 0) {
      JsonOut out = chunks.begin().name(Thoughts.MEMBER).raw(JsonBytes.of(inside, text));
      detail(out, ReasoningDetail.TEXT, "text").raw(JsonBytes.of(inside, text));
      chunks.send(out.endObject().endArray());
    } else if (signature >= 0) {
      JsonOut out = detail(chunks.begin(), ReasoningDetail.TEXT, "signature");
      chunks.send(out.raw(JsonBytes.of(inside, signature)).endObject().endArray());
    } else if (hidden >= 0) {
      JsonOut out = detail(chunks.begin(), ReasoningDetail.ENCRYPTED, "data");
      BedrockThought.write(inside, hidden, out);
      chunks.send(out.endObject().endArray());
    }
  }

  private JsonOut detail(JsonOut out, String type, String member) {
    out.name("reasoning_details").beginArray();
    return ReasoningDetail.begin(type, thoughts - 1, out).name(member);
  }

  // Calls of tools, numbered on their own

  private void start() {
    if (!reads(root, "start", delta) || !reads(delta, "toolUse", inside)) {
      return; // a text or a picture, which says nothing yet
    }
    int id = Given.text(inside, "toolUseId");
    int name = Given.text(inside, "name");
    if (id < 0 || name < 0) {
      chunks.unreadable();
      return;
    }
    calls++;
    calling = true;
    argued = false;
    JsonOut out = fragment().name("id").raw(JsonBytes.of(inside, id));
    out.name("type").string("function").name("function").beginObject();
    out.name("name").raw(JsonBytes.of(inside, name)).name("arguments").raw(NO_TEXT);
    chunks.send(out.endObject().endObject().endArray());
  }

  private JsonOut fragment() {
    JsonOut out = chunks.begin().name("tool_calls").beginArray().beginObject();
    return out.name("index").number(calls - 1);
  }

  private void argue(JsonBytes arguments) {
    if (calling) {
      argued = true;
      JsonOut out = fragment().name("function").beginObject().name("arguments").raw(arguments);
      chunks.send(out.endObject().endObject().endArray());
    }
  }

  /** A tool without arguments is called with none at all. */
  private void stop() {
    if (calling && !argued) {
      argue(NO_ARGUMENTS);
    }
    calling = false;
    thinking = false;
  }

  // The end

  private void finish() {
    int given = Given.text(root, "stopReason");
    String reason = given < 0 ? "" : root.string(given);
    chunks.finish(chunks.begin(), BedrockFinish.canonical(reason), reason, usage);
  }

  /** Behind the finish: what it took, and the last event. */
  private void end() {
    int i = Given.at(root, "usage", JsonKind.OBJECT);
    if (i >= 0) {
      usage.add(root, i);
      chunks.send(chunks.begin(), usage);
    }
    done();
  }
}
