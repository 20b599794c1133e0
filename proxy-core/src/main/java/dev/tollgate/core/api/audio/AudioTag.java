package dev.tollgate.core.api.audio;

/**
 * Parser of metadata tags (ID3v1, ID3v2, APE) at the beginning or end of an audio file, which are
 * skipped.
 */
final class AudioTag {
  private static final int ID3_HEAD_BYTES = 10;
  private static final int ID3_OLD_BYTES = 128;
  private static final int APE_HEAD_BYTES = 32;
  private static final int TAGS_AHEAD_MAX = 8;

  private AudioTag() {}

  /** Returns the file without its leading tags. */
  static AudioBytes skipLeading(AudioBytes file) {
    long at = 0;
    for (int n = 0; n < TAGS_AHEAD_MAX && file.is(at, "ID3"); n++) {
      at += sizeBytes(file, at);
    }
    return file.from(at);
  }

  /** Returns the size of the tag at this offset; 0 if there is none. */
  static long sizeBytes(AudioBytes file, long at) {
    if (file.is(at, "ID3")) {
      boolean hasFoot = (file.at(at + 5) & 0x10) != 0;
      return ID3_HEAD_BYTES + sevenBits(file, at + 6) + (hasFoot ? ID3_HEAD_BYTES : 0);
    }
    if (file.is(at, "APETAGEX")) {
      return APE_HEAD_BYTES + file.littleEndian(at + 12, 4);
    }
    return file.is(at, "TAG") ? ID3_OLD_BYTES : 0;
  }

  /** Reads a number with seven bits in each of four bytes. */
  private static long sevenBits(AudioBytes file, long at) {
    long number = 0;
    for (int i = 0; i < 4; i++) {
      number = number << 7 | (file.at(at + i) & 0x7f);
    }
    return number;
  }
}
