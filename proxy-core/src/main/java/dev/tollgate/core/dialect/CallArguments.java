package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Converts the arguments of a tool call from OpenAI's JSON text to the JSON object that most other
 * providers expect.
 */
public final class CallArguments {
  private CallArguments() {}

  /** Writes the arguments of a function as an object. */
  public static void write(JsonMembers function, JsonWriter out) {
    int i = JsonReads.find(function, "arguments", JsonKind.STRING);
    String text = i < 0 ? "" : function.string(i);
    writeObject(text.isBlank() ? "{}" : text, "arguments", out);
  }

  /**
   * Writes a text that is a JSON object as that object, and any other text, such as arguments that
   * a model wrote wrongly, as the only member of an object.
   */
  public static void writeObject(String text, String memberOtherwise, JsonWriter out) {
    byte[] json = text.getBytes(UTF_8);
    try {
      JsonMembers object = JsonMembers.of(json, 0, json.length);
      out.raw(JsonBytes.raw(json, object.objectStart(), object.objectEnd()));
    } catch (InvalidJson e) {
      out.beginObject().name(memberOtherwise).string(text).endObject();
    }
  }
}
