package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.DataUri;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ResultParts;
import dev.tollgate.core.dialect.WhiteSpace;
import dev.tollgate.core.dialect.bedrock.BedrockCachePoints.CacheMark;
import dev.tollgate.core.dialect.message.PrefillText;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the text and other parts of chat messages as content blocks of Bedrock's Converse API. An
 * instance is used once.
 */
final class BedrockContent {
  /** Text where Converse requires one and the message has none. */
  static final String PLACEHOLDER_TEXT = "...";

  private static final int NAME_CHARS_MAX = 100;

  private final PrefillText prefill;
  private final BedrockCachePoints cache;
  private final DroppedFields dropped;
  private int documents;
  private boolean wroteDocument;
  private boolean wroteText;

  /** Mark that waits until a tool result is closed, since none may be inside it. */
  private @Nullable DeferredMark deferred;

  /** Last cache mark inside a tool result, for the cache point after the result. */
  private static final class DeferredMark {
    private @Nullable CacheMark last;
  }

  /** Base64 text of a media part, as the client encoded it. */
  private record Encoded(String mediaType, JsonMembers from, int i, int skip) {
    void writeTo(JsonWriter out) {
      out.name("source").beginObject().name("bytes").stringBehind(from, i, skip).endObject();
    }
  }

  BedrockContent(PrefillText prefill, BedrockCachePoints cache, DroppedFields dropped) {
    this.prefill = prefill;
    this.cache = cache;
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
      text(message, content, CacheMark.of(message, path), place);
      return;
    }
    JsonElements parts = message.array(content);
    for (int k = 0; k < parts.size(); k++) {
      if (!part(parts.object(k), mark(message, parts, k, path), place)) {
        dropped.add(path.dot("content").at(k));
      }
    }
  }

  /** Returns the mark of a part: a message's mark belongs to its last part. */
  private static @Nullable CacheMark mark(
      JsonMembers message, JsonElements parts, int k, Param path) {
    CacheMark own = CacheMark.of(parts.object(k), path.dot("content").at(k));
    return own == null && k == parts.size() - 1 ? CacheMark.of(message, path) : own;
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
      if (!wroteText(part, "text", mark(message, parts, k, path), place)) {
        dropped.add(path.dot("content").at(k));
      }
    }
  }

  /**
   * Writes a tool result, the cache point after it, and beside it what is not taken inside.
   *
   * @param taken types of parts that the model takes inside of a result
   */
  void writeResult(
      JsonMembers message, String callId, Set<String> taken, Param path, JsonWriter out) {
    var parts = ResultParts.of(message, path, taken);
    var inside = new DeferredMark();
    deferred = inside;
    out.beginObject().name("toolResult").beginObject();
    out.name("toolUseId").string(callId).name("content").beginArray();
    if (JsonReads.find(message, "content", JsonKind.STRING) >= 0) {
      write(message, path, () -> out);
    }
    write(parts.inside(), out);
    out.endArray();
    if (JsonReads.find(message, "is_error", JsonKind.TRUE) >= 0) {
      out.name("status").string("error");
    }
    out.endObject().endObject();
    deferred = null;
    cache.write(inside.last == null ? CacheMark.of(message, path) : inside.last, out);
    write(parts.beside(), out);
  }

  private void write(List<ResultParts.Part> parts, JsonWriter out) {
    for (ResultParts.Part part : parts) {
      if (!part(part.members(), CacheMark.of(part.members(), part.path()), () -> out)) {
        dropped.add(part.path());
      }
    }
  }

  private void mark(@Nullable CacheMark mark, JsonWriter out) {
    if (deferred == null) {
      cache.write(mark, out);
    } else if (mark != null) {
      deferred.last = mark;
    }
  }

  /** Begins the conversation behind the system's text. */
  void beginTurns() {
    wroteText = false;
  }

  /** Ends a turn; a document requires text beside it. */
  void endTurn(JsonWriter out) {
    if (wroteDocument && !wroteText) {
      out.beginObject().name("text").string(PLACEHOLDER_TEXT).endObject();
    }
    wroteDocument = false;
    wroteText = false;
  }

  /** Writes a text block, unless it is blank: Bedrock refuses that. */
  private void text(JsonItems from, int i, @Nullable CacheMark mark, Supplier<JsonWriter> place) {
    if (!WhiteSpace.isBlank(from, i)) {
      JsonWriter out = place.get().beginObject().name("text").raw(prefill.of(from, i)).endObject();
      wroteText |= deferred == null; // of the turn that the block may have opened
      mark(mark, out);
    }
  }

  private boolean part(JsonMembers part, @Nullable CacheMark mark, Supplier<JsonWriter> place) {
    return switch (part.string(part.indexOf("type"))) {
      case "text" -> wroteText(part, "text", mark, place);
      case "refusal" -> wroteText(part, "refusal", mark, place);
      case "image_url", "video_url" ->
          medium(dataUri(part, part.string(part.indexOf("type")), "url"), mark, place);
      case "file" -> document(part, mark, place);
      case "image" -> medium(source(part), mark, place); // Anthropic's form
      case "document" -> document(source(part), mark, "title", part, place);
      default -> false;
    };
  }

  private boolean wroteText(
      JsonMembers part, String member, @Nullable CacheMark mark, Supplier<JsonWriter> place) {
    int text = JsonReads.find(part, member, JsonKind.STRING);
    if (text >= 0) {
      text(part, text, mark, place);
    }
    return text >= 0;
  }

  // Media and documents: only those inside the request, since Amazon would read a URL of its own
  // storage with the rights of the operator's account.

  private static Optional<Encoded> dataUri(JsonMembers part, String member, String url) {
    JsonMembers inside = JsonReads.object(part, member);
    int address = JsonReads.findText(inside, url);
    return address < 0
        ? Optional.empty()
        : DataUri.of(inside, address)
            .map(uri -> new Encoded(uri.mediaType(), inside, address, uri.headBytes()));
  }

  private static Optional<Encoded> source(JsonMembers part) {
    JsonMembers source = JsonReads.object(part, "source");
    int type = JsonReads.findText(source, "media_type");
    int content = JsonReads.findText(source, "data");
    return !JsonReads.isString(source, "type", "base64") || type < 0 || content < 0
        ? Optional.empty()
        : Optional.of(new Encoded(source.string(type), source, content, 0));
  }

  private boolean medium(
      Optional<Encoded> given, @Nullable CacheMark mark, Supplier<JsonWriter> place) {
    String format = given.map(one -> BedrockFormat.ofMedium(one.mediaType())).orElse("");
    if (given.isEmpty() || format.isEmpty()) {
      return false;
    }
    boolean moves = given.get().mediaType().startsWith("video/");
    JsonWriter out = place.get().beginObject().name(moves ? "video" : "image").beginObject();
    given.get().writeTo(out.name("format").string(format));
    mark(mark, out.endObject().endObject());
    return true;
  }

  private boolean document(JsonMembers part, @Nullable CacheMark mark, Supplier<JsonWriter> place) {
    JsonMembers file = JsonReads.object(part, "file");
    return document(dataUri(part, "file", "file_data"), mark, "filename", file, place);
  }

  private boolean document(
      Optional<Encoded> given,
      @Nullable CacheMark mark,
      String nameMember,
      JsonMembers named,
      Supplier<JsonWriter> place) {
    String format = given.map(one -> BedrockFormat.ofDocument(one.mediaType())).orElse("");
    if (given.isEmpty() || format.isEmpty()) {
      return false;
    }
    int name = JsonReads.findText(named, nameMember);
    JsonWriter out = place.get().beginObject().name("document").beginObject();
    wroteDocument |= deferred == null;
    out.name("format").string(format);
    out.name("name").string(documentName(name < 0 ? "" : named.string(name)));
    given.get().writeTo(out);
    mark(mark, out.endObject().endObject());
    return true;
  }

  /** Returns a name of the characters that Bedrock accepts, unique within the request. */
  private String documentName(String given) {
    documents++;
    int ending = given.lastIndexOf('.');
    String plain =
        (ending > 0 ? given.substring(0, ending) : given)
            .replaceAll("[^A-Za-z0-9 ()\\[\\]-]", "-")
            .replaceAll(" +", " ")
            .strip();
    String name = plain.isEmpty() ? "document" : plain;
    String cut = name.length() > NAME_CHARS_MAX ? name.substring(0, NAME_CHARS_MAX) : name;
    return documents == 1 ? cut : cut + "-" + documents;
  }
}
