package dev.tollgate.core.api.audio;

import java.time.Duration;
import java.util.Optional;

/**
 * Parser of the playing time of an Ogg file: each page declares the number of samples at its end,
 * the first page the rate. Opus packets have their own lengths, by which players play them.
 */
final class OggLength {
  private static final int BYTES_PER_SECOND_MOST = 64_000;
  private static final int OPUS_BYTES_PER_SECOND_MOST = 32_000;
  private static final int FOREIGN_BYTES_MAX = 64 * 1024;
  private static final int PAGE_HEAD_BYTES = 27;
  private static final int FLAGS_AT = 5;
  private static final int GRANULE_AT = 6;
  private static final int SERIAL_AT = 14;

  private final AudioBytes file;
  private final long serial;
  private final boolean isOpus;
  private long foreignBytes;
  private long lastSample;
  private long opusSamples;

  private OggLength(AudioBytes file, boolean isOpus) {
    this.file = file;
    this.serial = file.littleEndian(SERIAL_AT, 4);
    this.isOpus = isOpus;
  }

  static Optional<Duration> of(AudioBytes file) {
    if (!file.is(0, "OggS")) {
      return Optional.empty();
    }
    int packet = PAGE_HEAD_BYTES + file.at(PAGE_HEAD_BYTES - 1);
    boolean isOpus = file.is(packet, "OpusHead");
    long rate = isOpus ? OpusPacket.RATE : rate(file, packet);
    long skipped = isOpus ? file.littleEndian(packet + 10, 2) : 0;
    return rate == 0 ? Optional.empty() : new OggLength(file, isOpus).declared(rate, skipped);
  }

  private static long rate(AudioBytes file, long packet) {
    if (file.is(packet, "\u0001vorbis")) {
      return file.littleEndian(packet + 12, 4);
    }
    if (file.is(packet, "Speex   ")) {
      return file.littleEndian(packet + 36, 4);
    }
    return file.is(packet, "\u007fFLAC") ? file.bigEndian(packet + 27, 3) >> 4 : 0;
  }

  private Optional<Duration> declared(long rate, long skipped) {
    walk();
    long samples = Math.max(lastSample, opusSamples) - skipped;
    boolean isUnknown = samples <= 0 || samples > Long.MAX_VALUE / 1_000;
    return isUnknown || foreignBytes > FOREIGN_BYTES_MAX
        ? Optional.empty()
        : Optional.of(
            file.atLeast(
                Duration.ofMillis(samples * 1_000 / rate),
                isOpus ? OPUS_BYTES_PER_SECOND_MOST : BYTES_PER_SECOND_MOST));
  }

  /** Walks the pages, until too many bytes belong to no page or to other streams. */
  private void walk() {
    long at = 0;
    while (at + PAGE_HEAD_BYTES <= file.size() && foreignBytes <= FOREIGN_BYTES_MAX) {
      if (!file.is(at, "OggS")) {
        foreignBytes++;
        at++;
        continue;
      }
      boolean isOurs = file.littleEndian(at + SERIAL_AT, 4) == serial;
      long end = page(at, isOurs);
      foreignBytes += isOurs ? 0 : end - at;
      at = end;
    }
  }

  /** Returns the end of a page: packets consist of segments, of which only the last is not full. */
  private long page(long at, boolean isOurs) {
    int segments = file.at(at + PAGE_HEAD_BYTES - 1);
    boolean isHead = (file.at(at + FLAGS_AT) & 1) == 0; // else a packet of the last page continues
    long end = at + PAGE_HEAD_BYTES + segments;
    for (int i = 0; i < segments; i++) {
      int bytes = file.at(at + PAGE_HEAD_BYTES + i);
      opusSamples += isOurs && isOpus && isHead && bytes > 0 ? OpusPacket.samples(file, end) : 0;
      isHead = bytes < 255;
      end += bytes;
    }
    if (isOurs) {
      lastSample =
          Math.max(lastSample, file.littleEndian(at + GRANULE_AT, 8)); // -1: no packet ends
    }
    return end;
  }
}
