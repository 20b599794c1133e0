package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import org.jspecify.annotations.Nullable;

/** The arguments of a call, which are text for OpenAI and an object for nearly all others. */
public final class CallArguments {
  private CallArguments() {}

  /** Writes those of a function as an object. */
  public static void write(JsonMembers function, JsonWriter out) {
    int i = JsonReads.find(function, "arguments", JsonKind.STRING);
    String text = i < 0 ? "" : function.string(i);
    JsonBytes object = text.isBlank() ? JsonBytes.raw("{}") : object(text);
    if (object != null) {
      out.raw(object);
    } else {
      out.beginObject().name("arguments").string(text).endObject(); // what a model wrote wrongly
    }
  }

  private static @Nullable JsonBytes object(String text) {
    byte[] json = text.getBytes(UTF_8);
    try {
      JsonMembers object = JsonMembers.of(json, 0, json.length);
      return JsonBytes.raw(json, object.objectStart(), object.objectEnd());
    } catch (InvalidJson e) {
      return null;
    }
  }
}
