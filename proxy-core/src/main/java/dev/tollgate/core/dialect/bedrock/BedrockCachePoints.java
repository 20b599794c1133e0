package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes Converse's cache points, blocks that follow each block of a chat that is marked for
 * caching. A model without caching refuses a request with one, so it gets none.
 */
final class BedrockCachePoints {
  /** Claude models without caching. */
  private static final List<String> WITHOUT =
      List.of(
          "claude-v2",
          "claude-instant",
          "claude-3-haiku",
          "claude-3-sonnet",
          "claude-3-opus",
          "claude-3-5-sonnet-20240620");

  private final BedrockFamily family;
  private final boolean caches;
  private final DroppedFields dropped;

  /** Anthropic's cache mark on a part of a chat request, and its path. */
  record CacheMark(JsonMembers control, Param path) {
    /** Returns the client's mark; null means there is none. */
    static @Nullable CacheMark of(JsonMembers block, Param path) {
      int i = JsonReads.find(block, "cache_control", JsonKind.OBJECT);
      return i < 0 ? null : new CacheMark(block.object(i), path.dot("cache_control"));
    }
  }

  BedrockCachePoints(BedrockFamily family, String model, DroppedFields dropped) {
    this.family = family;
    this.dropped = dropped;
    this.caches =
        switch (family) {
          case CLAUDE -> WITHOUT.stream().noneMatch(model::contains);
          case NOVA, NOVA_2 -> true;
          case OPENAI, MISTRAL, COHERE, PROFILE, OTHER -> false;
        };
  }

  /** Writes a cache point after a block of a message, if it is marked. */
  void write(@Nullable CacheMark mark, JsonWriter out) {
    write(mark, caches, out);
  }

  /** Writes a cache point after a tool, if it is marked: Nova has none there. */
  void writeBehindTool(@Nullable CacheMark mark, JsonWriter out) {
    write(mark, caches && family == BedrockFamily.CLAUDE, out);
  }

  private void write(@Nullable CacheMark mark, boolean taken, JsonWriter out) {
    if (mark == null) {
      return;
    }
    if (!taken) {
      dropped.add(mark.path());
      return;
    }
    out.beginObject().name("cachePoint").beginObject().name("type").string("default");
    int time = JsonReads.findText(mark.control(), "ttl");
    if (time >= 0 && family == BedrockFamily.CLAUDE) {
      out.name("ttl").raw(JsonBytes.of(mark.control(), time));
    }
    out.endObject().endObject();
  }
}
