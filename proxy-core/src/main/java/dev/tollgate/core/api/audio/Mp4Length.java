package dev.tollgate.core.api.audio;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Parser of the playing time of an MP4 or M4A file. It is the longest of the movie header, the
 * sound track's header and its sample table, which players use.
 */
final class Mp4Length {
  private static final int BYTES_PER_SECOND_MOST = 192_000;
  private static final int AAC_BYTES_PER_SECOND_MOST = 40_000;
  private static final int STEPS_MAX = 64 * 1024;
  private static final long TICKS_MAX = 1L << 50;

  private final AudioBytes file;
  private final Mp4Box movie;
  private final List<Mp4Box> sounds;
  private final boolean hasPictures;

  private Mp4Length(AudioBytes file, Mp4Box movie) {
    this.file = file;
    this.movie = movie;
    List<Mp4Box> tracks = movie.all("trak");
    this.sounds =
        tracks.stream()
            .flatMap(track -> track.first("mdia").stream())
            .filter(media -> media.first("hdlr").filter(kind -> kind.is(8, "soun")).isPresent())
            .toList();
    this.hasPictures = tracks.size() > sounds.size();
  }

  static Optional<Duration> of(AudioBytes file) {
    return file.is(4, "ftyp")
        ? Mp4Box.root(file).first("moov").flatMap(movie -> new Mp4Length(file, movie).declared())
        : Optional.empty();
  }

  private Optional<Duration> declared() {
    long millis = movie.first("mvhd").map(Mp4Length::headMillis).orElse(0L);
    for (Mp4Box sound : sounds) {
      Optional<Mp4Box> head = sound.first("mdhd");
      millis = Math.max(millis, head.map(Mp4Length::headMillis).orElse(0L));
      long steps = head.map(Mp4Length::unit).map(unit -> tableMillis(sound, unit)).orElse(0L);
      if (steps < 0) {
        return Optional.empty();
      }
      millis = Math.max(millis, steps);
    }
    return millis == 0 ? Optional.empty() : Optional.of(longer(Duration.ofMillis(millis), least()));
  }

  /**
   * Reads the length in a header: version and flags, two times (longer ones in the newer version),
   * then the unit and the length.
   */
  private static long headMillis(Mp4Box head) {
    boolean isLong = head.at(0) == 1;
    long length = isLong ? head.bigEndian(24, 8) : head.bigEndian(16, 4);
    boolean isUnknown = length <= 0 || length > Long.MAX_VALUE / 1_000 || length == 0xffff_ffffL;
    return isUnknown || unit(head) == 0 ? 0 : length * 1_000 / unit(head);
  }

  private static long unit(Mp4Box head) {
    return head.bigEndian(head.at(0) == 1 ? 20 : 12, 4);
  }

  /**
   * Sums the sample table: entries of a count and a length; -1 if it has more entries than any
   * audio.
   */
  private static long tableMillis(Mp4Box sound, long unit) {
    Optional<Mp4Box> table = table(sound, "stts");
    long steps = table.map(box -> box.bigEndian(4, 4)).orElse(0L);
    if (steps > STEPS_MAX) {
      return -1;
    }
    long ticks = 0;
    for (long i = 0; i < steps; i++) {
      long count = table.get().bigEndian(8 + 8 * i, 4);
      long each = table.get().bigEndian(12 + 8 * i, 4);
      boolean isAbsurd = each > 0 && count > TICKS_MAX / each;
      ticks = Math.min(TICKS_MAX, isAbsurd ? TICKS_MAX : ticks + count * each);
    }
    return unit == 0 ? 0 : ticks * 1_000 / unit;
  }

  private static Optional<Mp4Box> table(Mp4Box sound, String name) {
    return sound.first("minf").flatMap(m -> m.first("stbl")).flatMap(t -> t.first(name));
  }

  /** Returns the shortest length that the bytes can have; a declared length below that is wrong. */
  private Duration least() {
    Duration least = Duration.ZERO;
    for (Mp4Box sound : sounds) {
      boolean isAac = table(sound, "stsd").filter(kinds -> kinds.is(12, "mp4a")).isPresent();
      long most = isAac ? AAC_BYTES_PER_SECOND_MOST : BYTES_PER_SECOND_MOST;
      least = longer(least, Duration.ofMillis(soundBytes(sound) * 1_000 / most));
    }
    boolean isKnown = !least.isZero();
    return isKnown
        ? least
        : file.atLeast(least, hasPictures ? BYTES_PER_SECOND_MOST : AAC_BYTES_PER_SECOND_MOST);
  }

  /** Returns the size of the samples: one size for all, or one for each. */
  private long soundBytes(Mp4Box sound) {
    Optional<Mp4Box> sizes = table(sound, "stsz");
    if (sizes.isEmpty()) {
      return 0;
    }
    Mp4Box box = sizes.get();
    long count = box.bigEndian(8, 4);
    long bytes = box.bigEndian(4, 4) * count;
    for (long i = 0; bytes <= file.size() && i < count && 12 + 4 * i < box.sizeBytes(); i++) {
      bytes += box.bigEndian(12 + 4 * i, 4);
    }
    return Math.clamp(bytes, 0, file.size());
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
