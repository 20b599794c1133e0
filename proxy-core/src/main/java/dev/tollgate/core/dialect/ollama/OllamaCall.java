package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Writes a tool call of an Ollama reply in canonical form; Ollama sends it whole, with its
 * arguments as an object.
 */
final class OllamaCall {
  private OllamaCall() {}

  /** Writes the members of a call into an open object; the client's reply adds a missing id. */
  static void write(JsonMembers call, JsonWriter out) {
    JsonReads.copyText(call, "id", "id", out);
    out.name("type").string("function").name("function").beginObject();
    JsonMembers function = JsonReads.object(call, "function");
    int name = JsonReads.findText(function, "name");
    int arguments = JsonReads.find(function, "arguments");
    out.name("name").raw(name < 0 ? JsonBytes.string("") : JsonBytes.of(function, name));
    out.name("arguments");
    if (arguments >= 0 && function.kind(arguments) == JsonKind.STRING) {
      out.raw(JsonBytes.of(function, arguments)); // compatible servers write them as OpenAI does
    } else {
      out.string(arguments < 0 ? "{}" : function.text(arguments));
    }
    out.endObject();
  }
}
