package dev.tollgate.core.api.audio;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Box (the length-prefixed unit) of an MP4 file without its header: it contains boxes, or fields at
 * offsets from its start.
 */
record Mp4Box(AudioBytes file, long from, long to) {
  private static final int BOXES_MAX = 4_096;
  private static final int HEAD_BYTES = 8;
  private static final int LONG_HEAD_BYTES = 16;

  /** Returns the file as the outermost box. */
  static Mp4Box root(AudioBytes file) {
    return new Mp4Box(file, 0, file.size());
  }

  /** Returns the first contained box of a name. */
  Optional<Mp4Box> first(String name) {
    return inside(name, 1).stream().findFirst();
  }

  /** Returns the contained boxes of a name. */
  List<Mp4Box> all(String name) {
    return inside(name, BOXES_MAX);
  }

  private List<Mp4Box> inside(String name, int countMax) {
    List<Mp4Box> found = new ArrayList<>(1);
    long at = from;
    for (int n = 0; n < BOXES_MAX && at + HEAD_BYTES <= to && found.size() < countMax; n++) {
      long size = file.bigEndian(at, 4);
      boolean isLong = size == 1;
      int head = isLong ? LONG_HEAD_BYTES : HEAD_BYTES;
      size = isLong ? file.bigEndian(at + HEAD_BYTES, 8) : size;
      boolean isLast = size < head || size > to - at; // or broken
      long end = isLast ? to : at + size;
      if (file.is(at + 4, name)) {
        found.add(new Mp4Box(file, Math.min(at + head, end), end));
      }
      at = end;
    }
    return found;
  }

  long sizeBytes() {
    return to - from;
  }

  int at(long i) {
    return file.at(from + i);
  }

  boolean is(long at, String name) {
    return file.is(from + at, name);
  }

  long bigEndian(long at, int count) {
    return file.bigEndian(from + at, count);
  }
}
