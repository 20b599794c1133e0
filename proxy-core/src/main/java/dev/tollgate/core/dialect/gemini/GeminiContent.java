package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.DataUri;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ResultParts;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Writes the text and other parts of a chat message as parts of Gemini's generateContent API. */
final class GeminiContent {
  private static final String SCHEME = "https://";
  private static final String UPLOADED = "https://generativelanguage.googleapis.com/";

  /** Media types of what newer models take inside of a tool's result. */
  private static final Set<String> OF_RESULTS =
      Set.of("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain");

  private final boolean ownFiles;
  private final DroppedFields dropped;

  /**
   * @param ownFiles true if clients may name files of the operator's account
   */
  GeminiContent(boolean ownFiles, DroppedFields dropped) {
    this.ownFiles = ownFiles;
    this.dropped = dropped;
  }

  /**
   * Writes the parts of a message; writes nothing if it is empty.
   *
   * @param place supplies the writer of each part
   */
  void write(JsonMembers message, Param path, Supplier<JsonWriter> place) {
    int content = JsonReads.find(message, "content");
    if (content < 0) {
      return;
    }
    if (message.kind(content) == JsonKind.STRING) {
      text(message, content, place);
      return;
    }
    JsonElements parts = message.array(content);
    for (int k = 0; k < parts.size(); k++) {
      if (!part(parts.object(k), place)) {
        dropped.add(path.dot("content").at(k));
      }
    }
  }

  /** Writes the pictures that a model made. */
  void writeImages(JsonMembers message, Param path, Supplier<JsonWriter> place) {
    JsonElements images = JsonReads.array(message, LostMembers.IMAGES);
    for (int k = 0; k < images.size(); k++) {
      if (!part(JsonReads.object(images, k), place)) {
        dropped.add(path.dot(LostMembers.IMAGES).at(k));
      }
    }
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
      if (!writeTextPart(parts.object(k), "text", place)) {
        dropped.add(path.dot("content").at(k));
      }
    }
  }

  /** Returns the texts of some parts as one. */
  static String textOf(List<ResultParts.Part> parts) {
    StringBuilder all = new StringBuilder();
    for (ResultParts.Part part : parts) {
      int text = JsonReads.find(part.members(), "text", JsonKind.STRING);
      int i = text < 0 ? JsonReads.find(part.members(), "refusal", JsonKind.STRING) : text;
      all.append(i < 0 ? "" : part.members().string(i));
    }
    return all.toString();
  }

  /**
   * True for a picture or a document in the request, which newer models take inside of a result.
   */
  static boolean isOfResult(JsonMembers part) {
    JsonMembers picture = JsonReads.object(part, "image_url");
    int url = JsonReads.findText(picture, "url");
    JsonMembers file = JsonReads.object(part, "file");
    int content = JsonReads.findText(file, "file_data");
    Optional<DataUri> uri =
        url >= 0
            ? DataUri.of(picture, url)
            : content >= 0 ? DataUri.of(file, content) : Optional.empty();
    return uri.filter(found -> OF_RESULTS.contains(found.mediaType())).isPresent();
  }

  /** Writes media of tools' results. */
  void write(List<ResultParts.Part> media, Supplier<JsonWriter> place) {
    for (ResultParts.Part part : media) {
      if (!part(part.members(), place)) {
        dropped.add(part.path());
      }
    }
  }

  private static void text(JsonMembers from, int i, Supplier<JsonWriter> place) {
    if (!from.isEmptyString(i)) {
      place.get().beginObject().name("text").raw(JsonBytes.of(from, i)).endObject();
    }
  }

  private boolean part(JsonMembers part, Supplier<JsonWriter> place) {
    return switch (part.string(part.indexOf("type"))) {
      case "text" -> writeTextPart(part, "text", place);
      case "refusal" -> writeTextPart(part, "refusal", place);
      case "image_url" -> media(part, "image_url", "url", "image/jpeg", place);
      case "video_url" -> media(part, "video_url", "url", "video/mp4", place);
      case "file" ->
          media(part, "file", "file_data", "application/pdf", place)
              || media(part, "file", "file_id", "application/pdf", place);
      case "input_audio" -> audio(part, place);
      default -> false;
    };
  }

  private static boolean writeTextPart(
      JsonMembers part, String member, Supplier<JsonWriter> place) {
    int text = JsonReads.find(part, member, JsonKind.STRING);
    if (text >= 0) {
      text(part, text, place);
    }
    return text >= 0;
  }

  /**
   * Writes media that is inside the request, or its URL, which Gemini fetches itself.
   *
   * @param usual media type if the URL does not show it: Vertex requires one
   */
  private boolean media(
      JsonMembers part, String type, String member, String usual, Supplier<JsonWriter> place) {
    JsonMembers inside = JsonReads.object(part, type);
    int at = JsonReads.findText(inside, member);
    if (at < 0) {
      return false;
    }
    return DataUri.isDataUri(inside, at)
        ? inline(inside, at, place)
        : address(inside, at, usual, place);
  }

  private static boolean inline(JsonMembers inside, int at, Supplier<JsonWriter> place) {
    Optional<DataUri> uri =
        DataUri.of(inside, at).filter(found -> MediaTypes.areTaken(found.mediaType()));
    uri.ifPresent(
        found ->
            blob(found.mediaType(), place)
                .stringBehind(inside, at, found.headBytes())
                .endObject()
                .endObject());
    return uri.isPresent();
  }

  private boolean address(JsonMembers inside, int at, String usual, Supplier<JsonWriter> place) {
    String uri = inside.string(at);
    String type = MediaTypes.of(uri).orElse(usual);
    if (!MediaTypes.areTaken(type) || (!isPublic(uri) && !(ownFiles && isOwn(uri)))) {
      return false;
    }
    JsonWriter out = place.get().beginObject().name("fileData").beginObject();
    out.name("mimeType").string(type);
    out.name("fileUri").raw(JsonBytes.of(inside, at)).endObject().endObject();
    return true;
  }

  /**
   * True if the URL is public. Storage buckets and uploaded files are fetched with the rights of
   * the operator's account, which clients do not have.
   */
  private static boolean isPublic(String uri) {
    if (!uri.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    int from = SCHEME.length();
    int to = from;
    while (to < uri.length() && "/?#\\".indexOf(uri.charAt(to)) < 0) {
      to++;
    }
    String authority = uri.substring(from, to).toLowerCase(Locale.ROOT);
    boolean plain = !authority.isEmpty() && authority.chars().allMatch(c -> c > ' ' && c < 0x7f);
    return plain && !authority.contains("googleapis.com") && !authority.contains("%");
  }

  /** True for an object of a storage bucket, or a file uploaded to Gemini. */
  private static boolean isOwn(String uri) {
    return uri.startsWith("gs://") || uri.startsWith(UPLOADED);
  }

  private static boolean audio(JsonMembers part, Supplier<JsonWriter> place) {
    JsonMembers audio = JsonReads.object(part, "input_audio");
    int sound = JsonReads.findText(audio, "data");
    if (sound < 0) {
      return false;
    }
    int format = JsonReads.findText(audio, "format");
    String type = "audio/" + (format < 0 ? "wav" : audio.string(format));
    blob(type, place).raw(JsonBytes.of(audio, sound)).endObject().endObject();
    return true;
  }

  private static JsonWriter blob(String mediaType, Supplier<JsonWriter> place) {
    JsonWriter out = place.get().beginObject().name("inlineData").beginObject();
    return out.name("mimeType").string(mediaType).name("data");
  }
}
