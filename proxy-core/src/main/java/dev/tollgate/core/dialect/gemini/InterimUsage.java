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
 * The usage that a canonical chunk tells ahead of the end in its provider's own terms: the next one
 * replaces it, so that only the last is ever read. No client gets it.
 */
public final class InterimUsage {
  /** Gemini's, the only one that tells it with each event. */
  public static final String MEMBER = "x_llm_gemini_usage";

  private static final int BYTES_USUAL = 512;

  private InterimUsage() {}

  public static void write(JsonItems reported, int i, JsonWriter chunk) {
    chunk.name(MEMBER).raw(JsonBytes.of(reported, i));
  }

  /** The same object in OpenAI's terms; without members where it is not sound. */
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
