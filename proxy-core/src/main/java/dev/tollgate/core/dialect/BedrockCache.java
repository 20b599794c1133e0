package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;

/** Where what comes before is to be cached: a block of its own, behind the one that is marked. */
final class BedrockCache {
  private BedrockCache() {}

  /** Whether a client put Anthropic's mark there. */
  static boolean isMarked(JsonMembers block) {
    return Given.at(block, "cache_control", JsonKind.OBJECT) >= 0;
  }

  /** Writes the point behind a block that is marked. */
  static void write(JsonMembers block, JsonOut out) {
    int i = Given.at(block, "cache_control", JsonKind.OBJECT);
    if (i < 0) {
      return;
    }
    JsonMembers mark = block.object(i);
    out.beginObject().name("cachePoint").beginObject().name("type").string("default");
    int time = Given.text(mark, "ttl");
    if (time >= 0) {
      out.name("ttl").raw(JsonBytes.of(mark, time));
    }
    out.endObject().endObject();
  }
}
