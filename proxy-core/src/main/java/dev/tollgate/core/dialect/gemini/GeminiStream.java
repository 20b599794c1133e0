package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReportedUsage;
import dev.tollgate.core.dialect.TranslatedStream;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.sse.SseSink;
import org.jspecify.annotations.Nullable;

/**
 * Translates the events of one Gemini stream to canonical chat completion chunks, one per part.
 * Only the end of the stream after a finish reason marks it as complete. Not thread safe: one
 * stream on one loop.
 */
final class GeminiStream extends TranslatedStream {
  private final GeminiReportedUsage usage = new GeminiReportedUsage(root);
  private final ReportedUsage interimUsage = usage::writeInterim;
  private final JsonElements candidates = new JsonElements();
  private final JsonMembers candidate = new JsonMembers();
  private final JsonMembers content = new JsonMembers();
  private final JsonElements parts = new JsonElements();
  private final GeminiPart part = new GeminiPart();
  private String responseId = "";
  private int calls;
  private int images;

  GeminiStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  protected void translate(String name, byte[] data, int from, int to) {
    if (JsonReads.find(root, "error") >= 0) {
      error(data, from, to);
    } else if (root.indexOf("candidates") >= 0 || root.indexOf("promptFeedback") >= 0) {
      answer();
    } else if (usage.readUsage()) {
      chunks.send(chunks.begin(), usage);
    } else {
      chunks.empty(); // all members are optional
    }
  }

  private void answer() {
    identify();
    boolean counted = usage.readUsage();
    boolean answered = readCandidate();
    JsonWriter last = answered ? parts() : null;
    int reason = answered ? JsonReads.find(candidate, "finishReason") : -1;
    if (reason >= 0) {
      send(last);
      finish(GeminiFinish.own(candidate, reason));
    } else if (counted && last != null) {
      chunks.send(last, interimUsage);
    } else {
      send(last);
      blocked(counted);
    }
  }

  private void send(@Nullable JsonWriter delta) {
    if (delta != null) {
      chunks.send(delta);
    }
  }

  /** Takes id and model from the first event that has them. */
  private void identify() {
    int id = JsonReads.findText(root, "responseId");
    if (id >= 0 && responseId.isEmpty()) {
      responseId = root.string(id);
      int model = JsonReads.findText(root, "modelVersion");
      chunks.identify(
          JsonBytes.string(responseId), model < 0 ? NO_TEXT : JsonBytes.string(root.string(model)));
    }
  }

  private boolean readCandidate() {
    int i = root.indexOf("candidates");
    if (i < 0 || isUnreadable(root, i, JsonKind.ARRAY)) {
      return false;
    }
    candidates.readInside(root, i);
    for (int k = 1; k < candidates.size(); k++) {
      chunks.otherChoice();
    }
    if (candidates.size() == 0 || isUnreadable(candidates, 0, JsonKind.OBJECT)) {
      return false;
    }
    candidate.readInside(candidates, 0);
    if (candidate.hasRepeatedName()) {
      chunks.unreadable();
      return false;
    }
    int index = candidate.indexOf("index");
    long number = index < 0 ? 0 : candidate.integer(index, 0);
    if (number < 0) {
      chunks.unreadable(); // it may be the first candidate
    } else if (number > 0) {
      chunks.otherChoice();
    }
    return number == 0;
  }

  /** True for a value of another kind, which may have content that cannot be read. */
  private boolean isUnreadable(JsonItems of, int i, JsonKind kind) {
    boolean unreadable = of.kind(i) != kind;
    if (unreadable) {
      chunks.unreadable();
    }
    return unreadable;
  }

  /**
   * Sends all parts but the last, and returns the begun chunk of the last; null means there are no
   * parts.
   */
  private @Nullable JsonWriter parts() {
    int i = JsonReads.find(candidate, "content");
    if (i < 0 || isUnreadable(candidate, i, JsonKind.OBJECT)) {
      return null;
    }
    content.readInside(candidate, i);
    int k = JsonReads.find(content, "parts");
    if (k < 0 || isUnreadable(content, k, JsonKind.ARRAY)) {
      return null;
    }
    parts.readInside(content, k);
    return each(parts);
  }

  private @Nullable JsonWriter each(JsonItems all) {
    JsonWriter begun = null;
    for (int k = 0; k < all.size(); k++) {
      GeminiPart.Kind kind = part.read(all, k);
      if (kind == GeminiPart.Kind.BROKEN) {
        send(begun);
        begun = null;
        chunks.unreadable();
      } else if (kind != GeminiPart.Kind.NOTHING) {
        send(begun);
        begun = delta(kind);
      }
    }
    return begun;
  }

  private @Nullable JsonWriter delta(GeminiPart.Kind kind) {
    JsonWriter delta = chunks.begin();
    switch (kind) {
      case TEXT -> {
        delta.name("content").raw(part.text());
        part.writeSignature(delta);
      }
      case THOUGHT -> delta.name("reasoning_content").raw(part.text());
      case SIGNATURE -> part.writeSignature(delta);
      case CALL -> {
        int index = calls++;
        delta.name("tool_calls").beginArray().beginObject().name("index").number(index);
        part.writeCall(GeminiReply.callId(responseId, index), delta);
        delta.endObject().endArray();
      }
      case MEDIA -> {
        delta.name("images").beginArray();
        part.writeMedia(images++, delta);
        delta.endArray();
      }
      case NOTHING, BROKEN -> {}
    }
    return delta;
  }

  private void finish(String reason) {
    chunks.finish(chunks.begin(), GeminiFinish.canonical(reason, calls), reason, usage);
  }

  /** Finishes the stream of a blocked prompt, which has a reason but no answer. */
  private void blocked(boolean counted) {
    int i = JsonReads.find(root, "promptFeedback", JsonKind.OBJECT);
    JsonMembers feedback = i < 0 ? null : root.object(i);
    int reason = feedback == null ? -1 : JsonReads.findText(feedback, "blockReason");
    if (feedback != null && reason >= 0) {
      JsonWriter delta = chunks.begin();
      GeminiReply.writeRefusal(feedback, delta);
      chunks.finish(delta, "content_filter", feedback.string(reason), usage);
    } else if (counted) {
      chunks.send(chunks.begin(), usage);
    }
  }
}
