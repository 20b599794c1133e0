package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonOut;

/**
 * One entry of {@code reasoning_details}: a thought with what its provider needs to take it back.
 * In a stream the pieces of one thought have one index.
 */
final class ReasoningDetail {
  static final String TEXT = "reasoning.text";
  static final String ENCRYPTED = "reasoning.encrypted";

  private ReasoningDetail() {}

  static JsonOut begin(String type, int index, JsonOut out) {
    return out.beginObject().name("type").string(type).name("index").number(index);
  }
}
