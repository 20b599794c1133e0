package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonWriter;

/**
 * One entry of {@code reasoning_details}: a thought with what its provider needs to take it back.
 * In a stream the pieces of one thought have one index.
 */
public final class ReasoningDetail {
  public static final String TEXT = "reasoning.text";
  public static final String ENCRYPTED = "reasoning.encrypted";

  private ReasoningDetail() {}

  public static JsonWriter begin(String type, int index, JsonWriter out) {
    return out.beginObject().name("type").string(type).name("index").number(index);
  }
}
