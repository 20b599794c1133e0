package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Segment of the journal that is being written: a preallocated file, filled group by group from
 * start to end.
 */
final class Segment implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;
  private static final byte[] PAGE = new byte[PAGE_BYTES];

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

  /** Creates a segment file, which gets its final name when all of it is on the disk. */
  static Segment create(Disk disk, SegmentHeader header, int bytes) throws IOException {
    var name = new SegmentName(header.id(), SegmentName.State.NEW);
    try {
      return create(disk, name, header, bytes);
    } catch (IOException | RuntimeException e) {
      deleteFiles(disk, name, e);
      throw e;
    }
  }

  private static Segment create(Disk disk, SegmentName name, SegmentHeader header, int bytes)
      throws IOException {
    Disk.File file = disk.create(name.toString(), bytes);
    try {
      file.write(header.encoded(), 0);
      file.force();
      disk.rename(name.toString(), name.withState(SegmentName.State.JOURNAL).toString());
      disk.forceDirectory();
      return new Segment(header, file, bytes);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** Deletes a partial file, so that others can use its space on a full disk. */
  private static void deleteFiles(Disk disk, SegmentName name, Exception why) {
    try {
      disk.delete(name.toString());
      disk.delete(name.withState(SegmentName.State.JOURNAL).toString());
    } catch (IOException e) {
      why.addSuppressed(e);
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

  /**
   * Writes a group that begins at the start of its buffer. The write is extended by zeros to the
   * end of the page, because for a partial page the kernel would first read the rest from the disk.
   */
  void append(ByteBuffer group) throws IOException {
    int length = group.limit();
    int room = Math.min(group.capacity() - length, bytes - at - length);
    int more = Math.min(-(at + length) & (PAGE_BYTES - 1), room);
    group.limit(length + more).put(length, PAGE, 0, more);
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
