package dev.tollgate.server.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Disk quota of all spools of a node. It leaves a reserve on the disk, which the journal may share.
 * A file without room is fetched again later. Instances are thread-safe.
 */
public final class SpoolQuota {
  /** Bytes reserved at a time, so that the disk is not queried for every piece. */
  static final long STEP_BYTES = 4L * 1024 * 1024;

  private final Path folder;
  private final long bytesMax;
  private final long leftBytesMin;
  private final AtomicLong reservedBytes = new AtomicLong();

  /**
   * @param folder an existing folder
   * @param bytesMax maximum bytes of all files together
   * @param leftBytesMin bytes of the disk to leave free
   */
  public SpoolQuota(Path folder, long bytesMax, long leftBytesMin) {
    this.folder = folder;
    this.bytesMax = bytesMax;
    this.leftBytesMin = leftBytesMin;
  }

  Path folder() {
    return folder;
  }

  /** Returns the reserved bytes. */
  public long reservedBytes() {
    return reservedBytes.get();
  }

  /** Reserves bytes, which {@link #release} frees; true if there is room. */
  boolean reserve(long bytes) throws IOException {
    if (reservedBytes.addAndGet(bytes) > bytesMax
        || Files.getFileStore(folder).getUsableSpace() - bytes < leftBytesMin) {
      release(bytes);
      return false;
    }
    return true;
  }

  void release(long bytes) {
    reservedBytes.addAndGet(-bytes);
  }
}
