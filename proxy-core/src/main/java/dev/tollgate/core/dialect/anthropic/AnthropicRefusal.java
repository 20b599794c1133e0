package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/** Why Anthropic refused to answer, where it says so. */
final class AnthropicRefusal {
  private AnthropicRefusal() {}

  /** Writes it as the refusal of a delta or a message. */
  static void write(JsonMembers stopDetails, JsonWriter out) {
    int i = JsonReads.findText(stopDetails, "explanation");
    if (i >= 0) {
      out.name("refusal").raw(JsonBytes.of(stopDetails, i));
    }
  }
}
