package dev.tollgate.core.endpoint;

import java.time.Duration;
import java.util.Optional;

/** The length of an MP4 or M4A: boxes of a size and a name, of which {@code mvhd} tells it. */
final class Mp4Length {
  private static final int BYTES_PER_SECOND_MOST = 192_000;
  private static final int BOXES_MAX = 4_096;
  private static final int HEAD_BYTES = 8;

  private Mp4Length() {}

  static Optional<Duration> of(AudioBytes file) {
    if (!file.is(4, "ftyp")) {
      return Optional.empty();
    }
    long movie = box(file, "moov", 0, file.size());
    long head = movie < 0 ? -1 : box(file, "mvhd", movie + HEAD_BYTES, file.size());
    return head < 0 ? Optional.empty() : ofHead(file, head + HEAD_BYTES);
  }

  /** Where a box begins; -1 where there is none. */
  private static long box(AudioBytes file, String name, long from, long to) {
    long at = from;
    for (int n = 0; n < BOXES_MAX && at + HEAD_BYTES <= to; n++) {
      if (file.is(at + 4, name)) {
        return at;
      }
      long size = file.big(at, 4);
      size = size == 1 ? file.big(at + HEAD_BYTES, 8) : size;
      if (size < HEAD_BYTES || size > to - at) {
        return -1; // the last, or broken
      }
      at += size;
    }
    return -1;
  }

  /** Version and flags, two times, of which the newer version's are longer, the length's unit. */
  private static Optional<Duration> ofHead(AudioBytes file, long at) {
    boolean isLong = file.at(at) == 1;
    long unit = file.big(at + (isLong ? 20 : 12), 4);
    long length = isLong ? file.big(at + 24, 8) : file.big(at + 16, 4);
    boolean isUnknown = length <= 0 || length > Long.MAX_VALUE / 1_000 || length == 0xffff_ffffL;
    return unit == 0 || isUnknown
        ? Optional.empty()
        : Optional.of(
            file.atLeast(Duration.ofMillis(length * 1_000 / unit), BYTES_PER_SECOND_MOST));
  }
}
