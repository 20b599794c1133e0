package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Writes those parts of a chat completion in OpenAI's format that several providers' reply
 * translations share.
 */
public final class CanonicalReply {
  private CanonicalReply() {}

  /**
   * Begins the only choice, which has no log probabilities, and its message; the members written
   * next belong to the message.
   */
  public static void beginMessage(JsonWriter out) {
    out.name("choices").beginArray().beginObject().name("index").number(0);
    out.name("logprobs").nul();
    out.name("message").beginObject().name("role").string("assistant");
  }

  /** Writes that the message is no refusal, which OpenAI's messages always say. */
  public static void noRefusal(JsonWriter out) {
    out.name("refusal").nul();
  }

  /** Writes the content as text; null if there is none. */
  public static void content(CharSequence text, JsonWriter out) {
    out.name("content");
    if (text.isEmpty()) {
      out.nul();
    } else {
      out.string(text);
    }
  }

  /**
   * Writes a call of a tool.
   *
   * @param id name of the member of {@code call} that holds the id
   * @param function has the function's name
   */
  public static void call(
      JsonMembers call, String id, JsonMembers function, String arguments, JsonWriter out) {
    out.beginObject();
    JsonReads.copyText(call, id, "id", out);
    out.name("type").string("function").name("function").beginObject();
    JsonReads.copyText(function, "name", "name", out);
    out.name("arguments").string(arguments).endObject().endObject();
  }

  /** Writes the canonical reason and, if the provider gave one, its own. */
  public static void finish(String canonical, JsonMembers from, int own, JsonWriter out) {
    out.name("finish_reason").string(canonical);
    if (own >= 0) {
      out.name("native_finish_reason").raw(JsonBytes.of(from, own));
    }
  }
}
