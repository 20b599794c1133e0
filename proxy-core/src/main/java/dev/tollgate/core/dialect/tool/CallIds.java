package dev.tollgate.core.dialect.tool;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Ids of calls as their provider accepts them: of its characters and length, and each used once in
 * a conversation, while other providers begin anew with each answer. An instance is used for one
 * chat.
 */
public final class CallIds {
  private final int charsMax;
  private final Map<String, String> latest = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  /**
   * @param charsMax longest id
   */
  public CallIds(int charsMax) {
    this.charsMax = charsMax;
  }

  /** Returns the id of the next call. */
  public String ofCall(String id) {
    String plain = plain(id);
    String unique = plain;
    for (int k = 2; !used.add(unique); k++) {
      String end = "_" + k;
      unique = plain.substring(Math.max(0, plain.length() + end.length() - charsMax)) + end;
    }
    latest.put(id, unique);
    return unique;
  }

  /** Returns the id of a result: that of the latest call of its id. */
  public String ofResult(String id) {
    return latest.getOrDefault(id, plain(id));
  }

  private String plain(String id) {
    String plain = id.replaceAll("[^a-zA-Z0-9_-]", "_");
    return plain.substring(Math.max(0, plain.length() - charsMax));
  }
}
