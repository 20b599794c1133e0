package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Cached value of the HTTP {@code Date} field, formatted once a second and shared by all loops. */
final class HttpDate {
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final class CachedDate {
    final long second;
    final byte[] text;

    CachedDate(long second) {
      this.second = second;
      this.text = IMF_FIXDATE.format(Instant.ofEpochSecond(second)).getBytes(US_ASCII);
    }
  }

  private final InstantSource clock;
  private volatile CachedDate latest;

  HttpDate(InstantSource clock) {
    this.clock = clock;
    this.latest = new CachedDate(Math.floorDiv(clock.millis(), 1000));
  }

  /** Returns the value as bytes, which the caller must not change. */
  byte[] text() {
    long second = Math.floorDiv(clock.millis(), 1000);
    CachedDate made = latest;
    if (made.second != second) {
      made = new CachedDate(second);
      latest = made;
    }
    return made.text;
  }
}
