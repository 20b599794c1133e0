package dev.tollgate.server.storage;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What outputs may take of their disk. The journal and the books are often on the same one, and
 * without room they refuse everybody's work; an output need not be stored, so it gives way first.
 */
final class DiskReserve {
  private static final int SHARE_LEFT = 20;
  private static final long SHARE_BYTES_MAX = 1024L * 1024 * 1024;

  private final Path directory;
  private final long leftBytesMin;

  /**
   * @param leftBytesMin what is left to others at least; of a large disk a twentieth is, up to a
   *     gibibyte
   */
  DiskReserve(Path directory, long leftBytesMin) {
    this.directory = directory;
    this.leftBytesMin = leftBytesMin;
  }

  /** Asks the system, so not on a loop. */
  void check(int bytes) throws IOException {
    FileStore disk = Files.getFileStore(directory);
    long leftBytes = leftBytes(disk.getTotalSpace(), leftBytesMin);
    long usableBytes = disk.getUsableSpace();
    if (usableBytes - bytes < leftBytes) {
      throw new FullException(usableBytes, leftBytes);
    }
  }

  static long leftBytes(long totalBytes, long leftBytesMin) {
    return Math.max(leftBytesMin, Math.min(totalBytes / SHARE_LEFT, SHARE_BYTES_MAX));
  }

  /** There is space, but it is for others. */
  static final class FullException extends IOException {
    private FullException(long usableBytes, long leftBytes) {
      super(
          "the disk has %d bytes left, of which %d are for others"
              .formatted(usableBytes, leftBytes));
    }
  }
}
