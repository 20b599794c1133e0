package dev.tollgate.core.limit;

import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.http.HeadOut;
import dev.tollgate.core.limit.Drawn.Level;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The headers {@code x-ratelimit-*} (DECISIONS 1): how the key's own buckets stand after a request.
 *
 * @param levels of the allotment's buckets
 */
public record LimitFields(Allotment of, List<Level> levels) implements FieldLines {

  /** The lines of a draw's key; none where the key has no such limit. */
  public static List<FieldLines> of(Draw draw, List<Level> levels) {
    return draw.of().heads().showsNothing()
        ? List.of()
        : List.of(new LimitFields(draw.of(), levels));
  }

  @Override
  public void writeTo(ByteBuf out) {
    LimitHeads heads = of.heads();
    write(out, heads.ofRequests(), heads.requests());
    write(out, heads.ofTokens(), heads.tokens());
  }

  private void write(ByteBuf out, LimitHeads.Lines lines, int n) {
    if (n >= 0) {
      Level level = levels.get(n);
      out.writeBytes(lines.aheadOfRemaining());
      HeadOut.decimal(out, Math.max(0, level.remaining()));
      out.writeBytes(lines.aheadOfReset());
      Reset.write(out, Reset.micros(of.buckets().get(n), level));
      HeadOut.end(out);
    }
  }
}
