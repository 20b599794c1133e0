package dev.tollgate.core.limit;

import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.limit.AcquireResult.Level;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Header fields {@code x-ratelimit-*} (docs/decisions/limits.md#headers) with the levels of the
 * key's own buckets after a request.
 *
 * @param levels levels of the limit set's buckets
 */
public record LimitFields(LimitSet of, List<Level> levels) implements FieldLines {

  /** Returns the fields of an acquisition's key; none if the key has no such limit. */
  public static List<FieldLines> of(Acquire acquire, List<Level> levels) {
    return acquire.limits().fieldLayout().isEmpty()
        ? List.of()
        : List.of(new LimitFields(acquire.limits(), levels));
  }

  @Override
  public void writeTo(ByteBuf out) {
    LimitFieldLayout layout = of.fieldLayout();
    write(out, layout.requestLines(), layout.requests());
    write(out, layout.tokenLines(), layout.tokens());
  }

  private void write(ByteBuf out, LimitFieldLayout.Lines lines, int n) {
    if (n >= 0) {
      Level level = levels.get(n);
      out.writeBytes(lines.aheadOfRemaining());
      HeadWriter.decimal(out, Math.max(0, level.remaining()));
      out.writeBytes(lines.aheadOfReset());
      ResetTime.write(out, ResetTime.micros(of.buckets().get(n), level));
      HeadWriter.end(out);
    }
  }
}
