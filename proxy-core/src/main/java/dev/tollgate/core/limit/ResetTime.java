package dev.tollgate.core.limit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.limit.AcquireResult.Level;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Formatter of the time until a bucket is full again, as clients receive it
 * (docs/decisions/limits.md#headers): {@code 1.2s}, {@code 6m0s}.
 */
final class ResetTime {
  // Larger than any realistic debt, and its product with a period fits a long.
  private static final long MISSING_MAX = 100_000_000_000L;
  private static final int TEXT_BYTES = 32;

  private ResetTime() {}

  static String of(Bucket bucket, Level level) {
    return text(micros(bucket, level));
  }

  static long micros(Bucket bucket, Level level) {
    long missing = Math.clamp(bucket.capacity() - level.remaining(), 0, MISSING_MAX);
    return Math.ceilDiv(missing * bucket.unit().periodMicros(), bucket.capacity());
  }

  static String text(long micros) {
    ByteBuf out = Unpooled.buffer(TEXT_BYTES);
    write(out, micros);
    return out.toString(US_ASCII);
  }

  /** Writes milliseconds below a minute, whole seconds above, always rounded up. */
  static void write(ByteBuf out, long micros) {
    long millis = Math.ceilDiv(micros, 1_000);
    if (millis < 60_000) {
      HeadWriter.decimal(out, millis / 1_000);
      fraction(out, (int) (millis % 1_000));
    } else {
      long seconds = Math.ceilDiv(micros, 1_000_000);
      HeadWriter.decimal(out, seconds / 60);
      out.writeByte('m');
      HeadWriter.decimal(out, seconds % 60);
    }
    out.writeByte('s');
  }

  private static void fraction(ByteBuf out, int millis) {
    if (millis > 0) {
      out.writeByte('.');
      int rest = millis;
      for (int place = 100; rest > 0; place /= 10) {
        out.writeByte('0' + rest / place);
        rest %= place;
      }
    }
  }
}
