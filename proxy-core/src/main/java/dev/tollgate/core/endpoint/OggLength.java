package dev.tollgate.core.endpoint;

import java.time.Duration;
import java.util.Optional;

/** The length of an Ogg: its last page says how many samples end there, its first how fast. */
final class OggLength {
  private static final int BYTES_PER_SECOND_MOST = 64_000;
  private static final int OPUS_RATE = 48_000; // whatever was recorded
  private static final int SEARCHED_BYTES = 256 * 1024; // a page has at most 64 KiB
  private static final int PAGE_HEAD_BYTES = 27;
  private static final int GRANULE_AT = 6;
  private static final int SERIAL_AT = 14;
  private static final long NO_GRANULE = -1;

  private OggLength() {}

  static Optional<Duration> of(AudioBytes file) {
    if (!file.is(0, "OggS")) {
      return Optional.empty();
    }
    int packet = PAGE_HEAD_BYTES + file.at(PAGE_HEAD_BYTES - 1);
    long rate = rate(file, packet);
    long skipped = file.is(packet, "OpusHead") ? file.little(packet + 10, 2) : 0;
    long samples = lastGranule(file) - skipped;
    return rate == 0 || samples <= 0 || samples > Long.MAX_VALUE / 1_000
        ? Optional.empty()
        : Optional.of(
            file.atLeast(Duration.ofMillis(samples * 1_000 / rate), BYTES_PER_SECOND_MOST));
  }

  private static long rate(AudioBytes file, long packet) {
    if (file.is(packet, "OpusHead")) {
      return OPUS_RATE;
    }
    if (file.is(packet, "\u0001vorbis")) {
      return file.little(packet + 12, 4);
    }
    if (file.is(packet, "Speex   ")) {
      return file.little(packet + 36, 4);
    }
    return file.is(packet, "\u007fFLAC") ? file.big(packet + 27, 3) >> 4 : 0;
  }

  /** Of the last page of the first stream on which a packet ends. */
  private static long lastGranule(AudioBytes file) {
    long serial = file.little(SERIAL_AT, 4);
    int least = Math.max(0, file.size() - SEARCHED_BYTES);
    for (int at = file.size() - PAGE_HEAD_BYTES; at >= least; at--) {
      if (file.at(at) == 'O' && file.is(at, "OggS") && file.little(at + SERIAL_AT, 4) == serial) {
        long granule = file.little(at + GRANULE_AT, 8);
        if (granule != NO_GRANULE) {
          return granule;
        }
      }
    }
    return 0;
  }
}
