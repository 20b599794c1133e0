package dev.tollgate.server.storage;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Check of the free space that stored blobs must leave on their disk. The journal and the ledger
 * store often share it and stop all work without room; an output need not be stored, so it gives
 * way first.
 */
final class DiskReserve {
  private static final int SHARE_LEFT = 20;
  private static final long SHARE_BYTES_MAX = 1024L * 1024 * 1024;

  private final Path directory;
  private final long leftBytesMin;

  /**
   * @param leftBytesMin the minimum to leave free; on a large disk a twentieth is left, up to a
   *     gibibyte
   */
  DiskReserve(Path directory, long leftBytesMin) {
    this.directory = directory;
    this.leftBytesMin = leftBytesMin;
  }

  /** Checks the free space; a system call, so not on a loop. */
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

  /** Failure to store a blob because the remaining free space is reserved. */
  static final class FullException extends IOException {
    private FullException(long usableBytes, long leftBytes) {
      super(
          "the disk has %d bytes left, of which %d are reserved".formatted(usableBytes, leftBytes));
    }
  }
}
