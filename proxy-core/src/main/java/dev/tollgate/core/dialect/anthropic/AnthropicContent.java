package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.DataUri;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.WhiteSpace;
import dev.tollgate.core.dialect.message.PrefillText;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Writes the text and other parts of a chat message as content blocks of Anthropic's Messages API.
 */
final class AnthropicContent {
  private static final Set<String> IMAGES =
      Set.of("image/jpeg", "image/png", "image/gif", "image/webp");

  private final PrefillText prefill;
  private final DroppedFields dropped;

  AnthropicContent(PrefillText prefill, DroppedFields dropped) {
    this.prefill = prefill;
    this.dropped = dropped;
  }

  /**
   * Writes the blocks of a message; writes nothing if it is empty.
   *
   * @param place supplies the writer of each block
   */
  void write(JsonMembers message, Param path, Supplier<JsonWriter> place) {
    int content = JsonReads.find(message, "content");
    if (content < 0) {
      return;
    }
    if (message.kind(content) == JsonKind.STRING) {
      text(message, content, message, place);
      return;
    }
    JsonElements parts = message.array(content);
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.object(k);
      if (!part(part, marked(message, parts, k), place)) {
        dropped.add(path.dot("content").at(k));
      }
    }
  }

  /**
   * Returns the part or message whose cache mark a part gets: a message's mark belongs to its last
   * part.
   */
  private static JsonMembers marked(JsonMembers message, JsonElements parts, int k) {
    JsonMembers part = parts.object(k);
    boolean own = JsonReads.find(part, "cache_control", JsonKind.OBJECT) >= 0;
    return !own && k == parts.size() - 1 ? message : part;
  }

  /** Writes text alone; all other parts are dropped. */
  void writeText(JsonMembers message, Param path, Supplier<JsonWriter> place) {
    int content = JsonReads.find(message, "content");
    if (content < 0 || message.kind(content) == JsonKind.STRING) {
      write(message, path, place);
      return;
    }
    JsonElements parts = message.array(content);
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.object(k);
      int text = JsonReads.find(part, "text", JsonKind.STRING);
      if (text >= 0) {
        text(part, text, marked(message, parts, k), place);
      } else {
        dropped.add(path.dot("content").at(k));
      }
    }
  }

  /** Writes a text block, unless it is blank: Anthropic refuses that. */
  private void text(JsonMembers from, int i, JsonMembers marked, Supplier<JsonWriter> place) {
    if (!WhiteSpace.isBlank(from, i)) {
      JsonWriter out = place.get().beginObject().name("type").string("text");
      out.name("text").raw(prefill.of(from, i));
      CacheControl.write(marked, out);
      out.endObject();
    }
  }

  private boolean part(JsonMembers part, JsonMembers marked, Supplier<JsonWriter> place) {
    int type = part.indexOf("type");
    return switch (part.string(type)) {
      case "text" -> writeTextPart(part, "text", marked, place);
      case "refusal" -> writeTextPart(part, "refusal", marked, place);
      case "image_url" -> image(part, marked, place);
      case "file" -> file(part, marked, place);
      case "image", "document", "search_result" -> own(part, place);
      default -> false;
    };
  }

  /** Writes a block of Anthropic's own; it takes a data URI, which was a URL, as base64 only. */
  private static boolean own(JsonMembers part, Supplier<JsonWriter> place) {
    JsonMembers source = JsonReads.object(part, "source");
    int url = JsonReads.findText(source, "url");
    Optional<DataUri> fetched = url < 0 ? Optional.empty() : DataUri.of(source, url);
    if (fetched.isPresent()) {
      end(part, base64(part.string(part.indexOf("type")), fetched.get(), source, url, place));
      return true;
    }
    boolean own = JsonReads.find(part, "source") >= 0;
    if (own) {
      place.get().raw(JsonBytes.raw(part.bytes(), part.objectStart(), part.objectEnd()));
    }
    return own;
  }

  private boolean writeTextPart(
      JsonMembers part, String member, JsonMembers marked, Supplier<JsonWriter> place) {
    int text = JsonReads.find(part, member, JsonKind.STRING);
    if (text >= 0) {
      text(part, text, marked, place);
    }
    return text >= 0;
  }

  private static boolean image(JsonMembers part, JsonMembers marked, Supplier<JsonWriter> place) {
    int i = JsonReads.find(part, "image_url", JsonKind.OBJECT);
    return i >= 0 && imageAt(part.object(i), marked, place);
  }

  private static boolean imageAt(
      JsonMembers image, JsonMembers marked, Supplier<JsonWriter> place) {
    int url = JsonReads.findText(image, "url");
    if (url < 0) {
      return false;
    }
    if (!DataUri.isDataUri(image, url)) {
      JsonWriter out = begin("image", "url", place).name("url").raw(JsonBytes.of(image, url));
      end(marked, out.endObject());
      return true;
    }
    Optional<DataUri> uri =
        DataUri.of(image, url).filter(data -> IMAGES.contains(data.mediaType()));
    uri.ifPresent(data -> end(marked, base64("image", data, image, url, place)));
    return uri.isPresent();
  }

  /**
   * Writes a document inside the request; a file uploaded to another provider is unknown to
   * Anthropic.
   */
  private static boolean file(JsonMembers part, JsonMembers marked, Supplier<JsonWriter> place) {
    int i = JsonReads.find(part, "file", JsonKind.OBJECT);
    return i >= 0 && document(part.object(i), marked, place);
  }

  private static boolean document(
      JsonMembers file, JsonMembers marked, Supplier<JsonWriter> place) {
    int content = JsonReads.findText(file, "file_data");
    Optional<DataUri> uri = content < 0 ? Optional.empty() : DataUri.of(file, content);
    if (uri.isEmpty() || !uri.get().mediaType().equals("application/pdf")) {
      return false;
    }
    JsonWriter out = base64("document", uri.get(), file, content, place);
    JsonReads.copyText(file, "filename", "title", out);
    end(marked, out);
    return true;
  }

  private static JsonWriter base64(
      String type, DataUri uri, JsonMembers from, int i, Supplier<JsonWriter> place) {
    return begin(type, "base64", place)
        .name("media_type")
        .string(uri.mediaType())
        .name("data")
        .stringBehind(from, i, uri.headBytes())
        .endObject();
  }

  private static JsonWriter begin(String type, String source, Supplier<JsonWriter> place) {
    return place
        .get()
        .beginObject()
        .name("type")
        .string(type)
        .name("source")
        .beginObject()
        .name("type")
        .string(source);
  }

  private static void end(JsonMembers marked, JsonWriter out) {
    CacheControl.write(marked, out);
    out.endObject();
  }
}
