package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * The usage that a canonical chunk tells ahead of the end in its provider's own terms: the next one
 * replaces it, so that only the last is ever read. No client gets it.
 */
public final class UsageSoFar {
  /** Gemini's, the only one that tells it with each event. */
  public static final String MEMBER = "x_llm_gemini_usage";

  private static final int BYTES_USUAL = 512;

  private UsageSoFar() {}

  static void write(JsonItems told, int i, JsonOut chunk) {
    chunk.name(MEMBER).raw(JsonBytes.of(told, i));
  }

  /** The same object in OpenAI's terms; without members where it is not sound. */
  public static byte[] canonical(byte[] told) {
    JsonMembers members = JsonMembers.ofKept(told);
    ByteBuf out = Unpooled.buffer(BYTES_USUAL);
    UsageTerms.GEMINI
        .read(members, 0)
        .ifPresentOrElse(
            usage -> CanonicalUsage.write(usage, members, new JsonOut(out)),
            () -> new JsonOut(out).beginObject().endObject());
    return Arrays.copyOf(out.array(), out.writerIndex());
  }
}
