package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.CanonicalReply;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Translates a plain (not streamed) reply of Gemini's generateContent API to a chat completion. */
final class GeminiReply {
  private final JsonMembers root;
  private final JsonMembers candidate;
  private final Map<GeminiPart.Kind, List<GeminiPart>> parts = new EnumMap<>(GeminiPart.Kind.class);

  private GeminiReply(JsonMembers root, JsonMembers candidate) {
    this.root = root;
    this.candidate = candidate;
    sort(JsonReads.array(JsonReads.object(candidate, "content"), "parts"));
  }

  private void sort(JsonElements all) {
    for (int k = 0; k < all.size(); k++) {
      var part = new GeminiPart();
      parts.computeIfAbsent(part.read(all, k), _ -> new ArrayList<>(1)).add(part);
    }
  }

  private List<GeminiPart> partsOf(GeminiPart.Kind kind) {
    return parts.getOrDefault(kind, List.of());
  }

  /** Translates an answer or a refusal of the prompt; any other body stays as it is. */
  static TranslatedReply translated(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          JsonElements candidates = JsonReads.array(root, "candidates");
          JsonMembers first =
              candidates.size() == 0 ? new JsonMembers() : JsonReads.object(candidates, 0);
          if (hasContent(first) || isRefused(root)) {
            new GeminiReply(root, first).writeTo(out);
          }
        });
  }

  /** True if a candidate has content or a finish reason; others are no answer. */
  private static boolean hasContent(JsonMembers candidate) {
    return JsonReads.find(candidate, "content", JsonKind.OBJECT) >= 0
        || JsonReads.find(candidate, "finishReason") >= 0;
  }

  private static boolean isRefused(JsonMembers root) {
    return JsonReads.findText(JsonReads.object(root, "promptFeedback"), "blockReason") >= 0;
  }

  /** Returns an id for a call, since Gemini may omit it; empty means none can be made. */
  static String callId(String responseId, int index) {
    return responseId.isEmpty() ? "" : "call_" + responseId + "_" + index;
  }

  /** Writes the reason why a prompt was blocked, if Gemini gives one. */
  static void writeRefusal(JsonMembers promptFeedback, JsonWriter out) {
    JsonReads.copyText(promptFeedback, "blockReasonMessage", "refusal", out);
  }

  private void writeTo(JsonWriter out) {
    out.beginObject();
    JsonReads.copyText(root, "responseId", "id", out);
    out.name("object").string("chat.completion");
    JsonReads.copyText(root, "modelVersion", "model", out);
    CanonicalReply.beginMessage(out);
    message(out);
    finish(out);
    out.endObject().endArray();
    var usage = new GeminiReportedUsage(root);
    usage.readUsage();
    usage.writeTo(out);
    out.endObject();
  }

  private void message(JsonWriter out) {
    out.name("content");
    joined(partsOf(GeminiPart.Kind.TEXT), out);
    if (!partsOf(GeminiPart.Kind.THOUGHT).isEmpty()) {
      out.name("reasoning_content");
      joined(partsOf(GeminiPart.Kind.THOUGHT), out);
    }
    signature(out);
    images(out);
    calls(out);
  }

  /** Writes one text as it is encoded, or several as one. */
  private static void joined(List<GeminiPart> texts, JsonWriter out) {
    switch (texts.size()) {
      case 0 -> out.nul();
      case 1 -> out.raw(texts.getFirst().text());
      default -> {
        StringBuilder all = new StringBuilder();
        texts.forEach(text -> all.append(text.decoded()));
        out.string(all);
      }
    }
  }

  /** Writes the signature of the text; signatures of calls are written with the calls. */
  private void signature(JsonWriter out) {
    List<GeminiPart> alone = partsOf(GeminiPart.Kind.SIGNATURE);
    List<GeminiPart> texts = partsOf(GeminiPart.Kind.TEXT);
    if (!alone.isEmpty()) {
      alone.getLast().writeSignature(out);
    } else if (!texts.isEmpty()) {
      texts.getLast().writeSignature(out);
    }
  }

  private void images(JsonWriter out) {
    List<GeminiPart> all = partsOf(GeminiPart.Kind.MEDIA);
    if (!all.isEmpty()) {
      out.name("images").beginArray();
      for (int k = 0; k < all.size(); k++) {
        all.get(k).writeMedia(k, out);
      }
      out.endArray();
    }
  }

  private void calls(JsonWriter out) {
    List<GeminiPart> all = partsOf(GeminiPart.Kind.CALL);
    if (all.isEmpty()) {
      return;
    }
    int id = JsonReads.findText(root, "responseId");
    String responseId = id < 0 ? "" : root.string(id);
    out.name("tool_calls").beginArray();
    for (int k = 0; k < all.size(); k++) {
      out.beginObject();
      all.get(k).writeCall(callId(responseId, k), out);
      out.endObject();
    }
    out.endArray();
  }

  /**
   * Ends the message and writes the finish reason; the reason of a blocked prompt belongs to the
   * message.
   */
  private void finish(JsonWriter out) {
    JsonMembers feedback = JsonReads.object(root, "promptFeedback");
    int block = JsonReads.findText(feedback, "blockReason");
    int reason = JsonReads.find(candidate, "finishReason");
    if (block >= 0) {
      if (JsonReads.findText(feedback, "blockReasonMessage") >= 0) {
        writeRefusal(feedback, out);
      } else {
        CanonicalReply.noRefusal(out);
      }
      out.endObject();
      finish("content_filter", feedback.string(block), out);
    } else if (reason >= 0) {
      String own = GeminiFinish.own(candidate, reason);
      CanonicalReply.noRefusal(out);
      out.endObject();
      finish(GeminiFinish.canonical(own, partsOf(GeminiPart.Kind.CALL).size()), own, out);
    } else {
      CanonicalReply.noRefusal(out);
      out.endObject();
    }
  }

  private static void finish(String reason, String own, JsonWriter out) {
    out.name("finish_reason").string(reason).name("native_finish_reason").string(own);
  }
}
