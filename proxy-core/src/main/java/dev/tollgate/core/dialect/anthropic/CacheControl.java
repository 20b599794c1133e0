package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Copies Anthropic's cache mark, the member {@code cache_control}, from any part of a chat request.
 */
final class CacheControl {
  private CacheControl() {}

  /** Copies the mark; false means there is none. */
  static boolean write(JsonMembers from, JsonWriter out) {
    int i = JsonReads.find(from, "cache_control", JsonKind.OBJECT);
    if (i >= 0) {
      out.name("cache_control").raw(JsonBytes.of(from, i));
    }
    return i >= 0;
  }
}
