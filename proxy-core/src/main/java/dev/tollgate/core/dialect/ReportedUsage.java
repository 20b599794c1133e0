package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonWriter;

/** What a provider's stream has told of its usage so far. */
public interface ReportedUsage {
  /** Writes it as the member {@code usage}, in OpenAI's terms; nothing where it is not sound. */
  void writeTo(JsonWriter out);
}
