package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonWriter;

/**
 * Writes entries of {@code reasoning_details}, each a piece of model reasoning with the data that
 * its provider needs to accept it back. In a stream, the pieces of one block have one index.
 */
public final class ReasoningDetail {
  public static final String TEXT = "reasoning.text";
  public static final String ENCRYPTED = "reasoning.encrypted";

  private ReasoningDetail() {}

  public static JsonWriter begin(String type, int index, JsonWriter out) {
    return out.beginObject().name("type").string(type).name("index").number(index);
  }
}
