package dev.tollgate.core.api.audio;

import java.time.Duration;
import java.util.Optional;

/**
 * Parser of the playing time of an MP3 or ADTS AAC file, summed over its frames, each of which
 * declares its size and number of samples. All frames are read, because rates vary and a tag with
 * the sum may be wrong.
 */
final class FramedAudioLength {
  // A file with a longer gap before the next frame is of another format.
  private static final int OUT_OF_SYNC_BYTES_MAX = 64 * 1024;
  private static final int ADTS_HEAD_BYTES = 7;
  private static final int NANOS = 1_000_000_000;
  private static final int[] MPEG_RATES = {44_100, 48_000, 32_000};
  private static final int[] AAC_RATES = {
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350
  };
  private static final int[] KBITS_LAYER_1 = {
    32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448
  };
  private static final int[] KBITS_LAYER_2 = {
    32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384
  };
  private static final int[] KBITS_LAYER_3 = {
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320
  };
  private static final int[] KBITS_LOW_LAYER_1 = {
    32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256
  };
  private static final int[] KBITS_LOW = {
    8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160
  };

  private final AudioBytes file;
  private int frameBytes;
  private long frameNanos;

  private FramedAudioLength(AudioBytes file) {
    this.file = file;
  }

  static Optional<Duration> of(AudioBytes file) {
    return new FramedAudioLength(file).summed();
  }

  /** Sums the frames. Other bytes are skipped, as players do, unless they are most of the file. */
  private Optional<Duration> summed() {
    long nanos = 0;
    long framesBytes = 0;
    int outOfSync = 0;
    long syncedAt = -1;
    for (long at = 0; at < file.size() && outOfSync < OUT_OF_SYNC_BYTES_MAX; ) {
      long tag = AudioTag.sizeBytes(file, at);
      if (tag > 0) {
        at += tag;
        syncedAt = at;
      } else if (at == syncedAt ? reads(at) : isFrame(at)) {
        nanos += frameNanos;
        framesBytes += frameBytes;
        at += frameBytes;
        syncedAt = at;
      } else {
        outOfSync++;
        at++;
      }
    }
    boolean isOther = nanos == 0 || outOfSync == OUT_OF_SYNC_BYTES_MAX;
    return isOther || 2 * framesBytes < file.size()
        ? Optional.empty()
        : Optional.of(longer(Duration.ofNanos(nanos), AudioLength.atLeast(file.size())));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** True if a frame begins at this offset, followed by another unless it is the last. */
  private boolean isFrame(long at) {
    if (!reads(at)) {
      return false;
    }
    int bytes = frameBytes;
    long nanos = frameNanos;
    boolean isFollowed = at + bytes >= file.size() || reads(at + bytes) || isTagAt(at + bytes);
    frameBytes = bytes;
    frameNanos = nanos;
    return isFollowed;
  }

  private boolean isTagAt(long at) {
    return AudioTag.sizeBytes(file, at) > 0;
  }

  private boolean reads(long at) {
    if (file.at(at) != 0xff || (file.at(at + 1) & 0xe0) != 0xe0) {
      return false;
    }
    int layer = 4 - (file.at(at + 1) >> 1 & 3);
    return layer == 4 ? readsAac(at) : readsMpeg(at, layer);
  }

  private boolean readsAac(long at) {
    int rate = file.at(at + 2) >> 2 & 15;
    int bytes = (int) (file.bigEndian(at + 3, 3) >> 5 & 0x1fff);
    boolean isWhole = (file.at(at + 1) & 0xf0) == 0xf0;
    if (!isWhole || rate >= AAC_RATES.length || bytes < ADTS_HEAD_BYTES) {
      return false;
    }
    long samples = 1_024L * ((file.at(at + 6) & 3) + 1);
    frameBytes = bytes;
    frameNanos = samples * NANOS / AAC_RATES[rate];
    return true;
  }

  private boolean readsMpeg(long at, int layer) {
    int version = file.at(at + 1) >> 3 & 3; // 3: 1, 2: 2, 0: 2.5
    int kbits = (file.at(at + 2) >> 4) - 1;
    int rate = file.at(at + 2) >> 2 & 3;
    if (version == 1 || kbits < 0 || kbits == 14 || rate == 3) {
      return false;
    }
    boolean isLow = version != 3;
    int hertz = MPEG_RATES[rate] >> (3 - version == 3 ? 2 : 3 - version);
    int bits = 1_000 * kbits(layer, isLow)[kbits];
    int padding = file.at(at + 2) >> 1 & 1;
    int samples = layer == 1 ? 384 : layer == 3 && isLow ? 576 : 1_152;
    frameBytes =
        layer == 1 ? (12 * bits / hertz + padding) * 4 : samples / 8 * bits / hertz + padding;
    frameNanos = (long) samples * NANOS / hertz;
    return true;
  }

  private static int[] kbits(int layer, boolean isLow) {
    return switch (layer) {
      case 1 -> isLow ? KBITS_LOW_LAYER_1 : KBITS_LAYER_1;
      case 2 -> isLow ? KBITS_LOW : KBITS_LAYER_2;
      default -> isLow ? KBITS_LOW : KBITS_LAYER_3;
    };
  }
}
