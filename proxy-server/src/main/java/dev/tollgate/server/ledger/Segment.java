package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A preallocated file that the writer fills, group by group, from its start to its end. */
final class Segment implements AutoCloseable {
  private static final int ZEROS_BYTES = 1024 * 1024;

  private final SegmentHeader header;
  private final Frames frames;
  private final Disk.File file;
  private final int bytes;
  private int at = SegmentHeader.BYTES;

  private Segment(SegmentHeader header, Disk.File file, int bytes) {
    this.header = header;
    this.frames = new Frames(header);
    this.file = file;
    this.bytes = bytes;
  }

  /** Makes a segment that takes its name when all of it is on the disk. */
  static Segment create(Disk disk, SegmentHeader header, int bytes) throws IOException {
    var name = new SegmentName(header.id(), SegmentName.State.NEW);
    Disk.File file = disk.create(name.toString());
    try {
      ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(bytes, ZEROS_BYTES));
      for (int at = 0; at < bytes; at += zeros.capacity()) {
        // Forced piece by piece: the writer's own syncs would wait behind all of it.
        file.write(zeros.clear().limit(Math.min(zeros.capacity(), bytes - at)), at);
        file.force();
      }
      file.write(header.encoded(), 0);
      file.force();
      disk.rename(name.toString(), name.as(SegmentName.State.JOURNAL).toString());
      disk.forceDirectory();
      return new Segment(header, file, bytes);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  long id() {
    return header.id();
  }

  Frames frames() {
    return frames;
  }

  int at() {
    return at;
  }

  int bytesFree() {
    return bytes - at;
  }

  void append(ByteBuffer group) throws IOException {
    int length = group.remaining();
    file.write(group, at);
    at += length;
  }

  void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
