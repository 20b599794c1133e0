package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The Date field line, formatted once per second. May be shared between loops. */
public final class DateField {
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private volatile Line line = Line.at(Instant.EPOCH);

  public void write(ByteBuf out, Instant now) {
    Line current = line;
    if (current.epochSecond != now.getEpochSecond()) {
      current = Line.at(now);
      line = current;
    }
    out.writeBytes(current.bytes);
  }

  private static final class Line {
    private final long epochSecond;
    private final byte[] bytes;

    private Line(long epochSecond, byte[] bytes) {
      this.epochSecond = epochSecond;
      this.bytes = bytes;
    }

    static Line at(Instant now) {
      String line = "date: " + IMF_FIXDATE.format(now) + "\r\n";
      return new Line(now.getEpochSecond(), line.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
