package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.CanonicalUsage;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * Token usage in a canonical chunk before the last one, kept in the provider's own form. Only the
 * latest is ever converted. It is never sent to clients.
 */
public final class InterimUsage {
  /** Member of Gemini's usage; only Gemini reports it with each event. */
  public static final String MEMBER = "x_llm_gemini_usage";

  private static final int BYTES_USUAL = 512;

  private InterimUsage() {}

  public static void write(JsonItems reported, int i, JsonWriter chunk) {
    chunk.name(MEMBER).raw(JsonBytes.of(reported, i));
  }

  /** Returns the object in OpenAI's terms; an empty object if it is unusable. */
  public static byte[] canonical(byte[] reported) {
    JsonMembers members = JsonMembers.ofKept(reported);
    ByteBuf out = Unpooled.buffer(BYTES_USUAL);
    GeminiUsage.FORMAT
        .read(members, 0)
        .ifPresentOrElse(
            usage -> CanonicalUsage.write(usage, members, new JsonWriter(out)),
            () -> new JsonWriter(out).beginObject().endObject());
    return Arrays.copyOf(out.array(), out.writerIndex());
  }
}
