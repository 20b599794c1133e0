package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/** Reads one of Gemini's parts after the other, and writes what of a message it becomes. */
final class GeminiPart {
  private final JsonMembers part = new JsonMembers();
  private final JsonMembers inside = new JsonMembers();
  private Kind kind = Kind.NOTHING;
  private int at;

  /** What a part is. */
  enum Kind {
    /** Empty, or something that the provider's own tools did. */
    NOTHING,
    TEXT,
    THOUGHT,
    CALL,
    /** An image or sound that the model made. */
    MEDIA,
    /** Nothing but the proof of a thought. */
    SIGNATURE
  }

  Kind read(JsonItems parts, int k) {
    kind = Kind.NOTHING;
    if (parts.kind(k) == JsonKind.OBJECT) {
      part.readInside(parts, k);
      kind = classify();
    }
    return kind;
  }

  private Kind classify() {
    at = JsonReads.findText(part, "text");
    if (at >= 0) {
      return JsonReads.find(part, "thought", JsonKind.TRUE) >= 0 ? Kind.THOUGHT : Kind.TEXT;
    }
    if (readObject("functionCall") && JsonReads.findText(inside, "name") >= 0) {
      return Kind.CALL;
    }
    if (readObject("inlineData") && JsonReads.findText(inside, "data") >= 0) {
      return JsonReads.find(part, "thought", JsonKind.TRUE) >= 0 ? Kind.NOTHING : Kind.MEDIA;
    }
    return signature() >= 0 ? Kind.SIGNATURE : Kind.NOTHING;
  }

  private boolean readObject(String member) {
    int i = JsonReads.find(part, member, JsonKind.OBJECT);
    if (i >= 0) {
      inside.readInside(part, i);
    }
    return i >= 0;
  }

  private int signature() {
    return JsonReads.findText(part, "thoughtSignature");
  }

  /** The text, said or thought, as it is written. */
  JsonBytes text() {
    return JsonBytes.of(part, at);
  }

  String decoded() {
    return part.string(at);
  }

  /** Writes the proof of a thought where there is one. */
  void writeSignature(JsonWriter out) {
    int signature = signature();
    if (signature >= 0) {
      GeminiSignature.write(part, signature, out);
    }
  }

  /**
   * Writes the members of a call behind its index.
   *
   * @param idOtherwise where Gemini gives none; empty: none is written
   */
  void writeCall(String idOtherwise, JsonWriter out) {
    int id = JsonReads.findText(inside, "id");
    if (id >= 0) {
      out.name("id").raw(JsonBytes.of(inside, id));
    } else if (!idOtherwise.isEmpty()) {
      out.name("id").string(idOtherwise);
    }
    out.name("type").string("function").name("function").beginObject();
    out.name("name").raw(JsonBytes.of(inside, inside.indexOf("name")));
    int args = JsonReads.find(inside, "args", JsonKind.OBJECT);
    out.name("arguments").string(args < 0 ? "{}" : inside.text(args)).endObject();
    writeSignature(out);
  }

  /** Writes an image or sound as one of a message's {@code images}. */
  void writeMedia(int index, JsonWriter out) {
    int type = JsonReads.findText(inside, "mimeType");
    String head = "data:" + (type < 0 ? "image/png" : inside.string(type)) + ";base64,";
    out.beginObject().name("type").string("image_url").name("index").number(index);
    out.name("image_url").beginObject().name("url");
    out.string(head + inside.string(inside.indexOf("data"))).endObject().endObject();
  }
}
