package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Cursor that reads the parts of a Gemini reply, one after the other, and writes each in canonical
 * form.
 */
final class GeminiPart {
  private final JsonMembers part = new JsonMembers();
  private final JsonMembers inside = new JsonMembers();
  private Kind kind = Kind.NOTHING;
  private int at;

  /** Kind of a part in a Gemini reply. */
  enum Kind {
    /** Not of a part's shape: it may have content. */
    BROKEN,
    /** Empty, or the work of the provider's own tools. */
    NOTHING,
    TEXT,
    THOUGHT,
    CALL,
    /** An image or sound that the model made. */
    MEDIA,
    /** The signature of reasoning, without content. */
    SIGNATURE
  }

  Kind read(JsonItems parts, int k) {
    kind = Kind.BROKEN;
    if (parts.kind(k) == JsonKind.OBJECT) {
      part.readInside(parts, k);
      kind = isBroken() ? Kind.BROKEN : classify();
    }
    return kind;
  }

  private boolean isBroken() {
    return part.hasRepeatedName()
        || isOtherThan(part, "text", JsonKind.STRING)
        || isOtherThan(part, "inlineData", JsonKind.OBJECT)
        || isOtherThan(part, "functionCall", JsonKind.OBJECT)
        || (readObject("functionCall") && isOtherThan(inside, "args", JsonKind.OBJECT));
  }

  private static boolean isOtherThan(JsonMembers members, String name, JsonKind kind) {
    int i = JsonReads.find(members, name);
    return i >= 0 && members.kind(i) != kind;
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

  /** Returns the text of an answer or of reasoning, as it is encoded. */
  JsonBytes text() {
    return JsonBytes.of(part, at);
  }

  String decoded() {
    return part.string(at);
  }

  /** Writes the signature of reasoning, if there is one. */
  void writeSignature(JsonWriter out) {
    int signature = signature();
    if (signature >= 0) {
      GeminiSignature.write(part, signature, out);
    }
  }

  /**
   * Writes the members of a call after its index.
   *
   * @param idOtherwise id if Gemini sends none; empty means none is written
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
