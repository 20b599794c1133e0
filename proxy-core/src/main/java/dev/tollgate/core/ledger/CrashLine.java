package dev.tollgate.core.ledger;

import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Instant;

/**
 * Encoder of the request log row of a request whose node died while it ran. The row has what the
 * journal has of the request, under the names that all rows have.
 */
final class CrashLine {
  private static final int BYTES = 384;

  private CrashLine() {}

  static byte[] of(Reserve reserve, Progress last) {
    ByteBuf line = Unpooled.buffer(BYTES);
    new JsonWriter(line)
        .beginObject()
        .name("ts")
        .string(Instant.ofEpochMilli(reserve.request().epochMillis()).toString())
        .name("request_id")
        .string(reserve.request().value())
        .name("outcome")
        .string("internal_error")
        .name("org")
        .string(reserve.org().toString())
        .name("key_id")
        .string(reserve.key().value())
        .name("prompt_tokens")
        .number(last.tokens().prompt())
        .name("completion_tokens")
        .number(last.tokens().completion())
        .name("cached_tokens")
        .number(last.tokens().cached())
        .name("reasoning_tokens")
        .number(last.tokens().reasoning())
        .name("estimated")
        .bool(last.tokens().estimated())
        .name("cost_micro")
        .number(last.cost().value())
        .endObject();
    return ByteBufUtil.getBytes(line);
  }
}
