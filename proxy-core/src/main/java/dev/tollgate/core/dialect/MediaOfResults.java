package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Media in the results of tools, which OpenAI's format does not have: they are moved, in their
 * order, to a message of the user behind all results of the turn. An instance is used for one chat.
 */
public final class MediaOfResults {
  /** Types of parts that only a user's message may have. */
  private static final Set<String> MEDIA = Set.of("image_url", "input_audio", "file");

  private static final JsonBytes ONLY_MEDIA =
      JsonBytes.string("The result is in the next message.");

  private final List<JsonMembers> moved = new ArrayList<>(0);

  MediaOfResults() {}

  /** True if a part of this type is moved out of a result. */
  public static boolean isMoved(String type) {
    return MEDIA.contains(type);
  }

  /** Removes the media from a result; any other message stays as it is. */
  @Nullable JsonSplice movedFrom(JsonMembers message, @Nullable JsonSplice edits) {
    JsonElements parts =
        ResultParts.isResult(message) ? JsonReads.array(message, "content") : new JsonElements();
    JsonSplice texts = JsonSplice.of(parts);
    int left = parts.size();
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.object(k);
      if (isMoved(part.string(part.indexOf("type")))) {
        moved.add(part);
        texts.delete(k);
        left--;
      }
    }
    if (left == parts.size()) {
      return edits;
    }
    JsonSplice edited = edits == null ? JsonSplice.of(message) : edits;
    return edited.replace(message.indexOf("content"), left == 0 ? ONLY_MEDIA : texts);
  }

  /** Returns the user's message that stands before a message, if that ends a turn's results. */
  Optional<JsonBytes> before(JsonMembers message) {
    return ResultParts.isAmongResults(message) ? Optional.empty() : atEnd();
  }

  /** Returns the user's message with the media that have none yet. */
  Optional<JsonBytes> atEnd() {
    if (moved.isEmpty()) {
      return Optional.empty();
    }
    ByteBuf json = Unpooled.buffer();
    JsonWriter out = new JsonWriter(json).beginObject();
    out.name("role").string("user").name("content").beginArray();
    for (JsonMembers part : moved) {
      out.raw(JsonBytes.raw(part.bytes(), part.objectStart(), part.objectEnd()));
    }
    out.endArray().endObject();
    moved.clear();
    return Optional.of(JsonBytes.raw(json.array(), 0, json.writerIndex()));
  }
}
