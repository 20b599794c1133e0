package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonWriter;

/** Token usage that a provider's stream has reported so far, writable in OpenAI's terms. */
public interface ReportedUsage {
  /**
   * Writes the member {@code usage}, in OpenAI's terms; writes nothing if the usage is unusable.
   */
  void writeTo(JsonWriter out);
}
